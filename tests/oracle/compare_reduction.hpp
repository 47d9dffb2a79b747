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
};

// Runs the algorithm to its end: only executions that there are; all the oracle's final states, bugs and
// classes. Where it is optimal: each class once, and nothing in vain. REQUIRES: findings have the classes.
std::string compare_reduction(const ToyCode& code, const Findings& findings, Dpor::Algorithm algorithm,
                              ReductionCount& count);

}  // namespace thrum
