// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares partial-order reductions with the oracle, as compare.hpp does for searches without one.
#pragma once

#include <string>

#include "oracle/oracle.hpp"
#include "search/dpor.hpp"

namespace thrum {

// What the searches of a program ran.
struct ReductionCount {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;
  std::uint64_t redundant = 0;  // of a class that was run before
  std::uint64_t blocked = 0;
  std::uint64_t spilled = 0;  // plans that went to a file and came back
  std::uint64_t parts = 0;    // that were split off, where it is shared
};

struct BoundedCount {
  std::uint64_t executions = 0;
  std::uint64_t plain = 0;  // that search without reduction runs within the same bounds, likewise again each
  std::uint64_t deadlocks = 0;
  std::uint64_t deadlocks_missed = 0;
};

enum class Searched : std::uint8_t {
  at_once,
  in_parts,  // after each few executions the search is put down and taken up by another
  shared,    // by several workers, who take turns
};

// Runs the algorithm to its end: only executions that there are; all the oracle's final states, bugs and
// classes. Where it is optimal, and not shared: each class once, and nothing in vain. REQUIRES: findings have
// the classes. seed: by which workers share, and take turns.
std::string compare_reduction(const ToyCode& code, const Findings& findings, Dpor::Algorithm algorithm,
                              ReductionCount& count, Searched how = Searched::at_once,
                              std::uint64_t seed = 1);

// Bounded reduction with bounds 0, 1 and 2, and without one: only executions that there are, none that costs
// more; the local states and the failed assertions of the executions that cost no more; and it claims no
// more. count: of deadlocks that cost no more and were missed, too. REQUIRES: findings have the local states.
std::string compare_bounded(const ToyCode& code, const Findings& findings, BoundedCount& count);

// The strategies of auto, taking turns: without a bound all final states and bugs, and it claims to be
// complete; with bounds 0 and 1 those of the executions that cost no more.
// Put down and taken up now and then.
std::string compare_auto(const ToyCode& code, const Findings& findings);

}  // namespace thrum
