// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of the paper (Yi and Huang, ESEC/FSE 2018) as toy programs, with smaller constants.
#pragma once

#include <string>

#include "oracle/toy_code.hpp"

namespace thrum {

// Figure 2, where j is at most 2. If x is 8 and y is 2, the third thread goes another way, or fails.
enum class AtTheEnd : bool { branches, fails };
ToyCode figure_2(AtTheEnd end);

// The same where j may be 3, and the thread returns then (its m0). more: threads of the kind
// `if (input == 3) x++`, of which all have to do so (m1 has one).
ToyCode published_m(int more);

// Figure 5 (a): a write that a branch needs stands behind two others.
ToyCode figure_5a();

// A path that S2 as the text has it misses: the core names both threads, and one of them has to go on.
ToyCode path_that_s2_misses();

// The micro benchmark: an assertion fails only where all increments of two threads meet, so many of each.
ToyCode micro_benchmark(int increments);

}  // namespace thrum
