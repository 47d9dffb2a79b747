// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reference for the product's reductions: optimal dynamic partial-order reduction as its paper prints it.
// It runs programs that have too many interleavings for the brute-force oracle.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "oracle/toy_code.hpp"

namespace thrum {

struct ReferenceResult {
  bool gave_up = false;                // more executions than the limit
  std::uint64_t executions = 0;        // to their ends, and those that a bug stopped
  std::uint64_t asleep = 0;            // how often a sleep set was not empty where a wakeup tree ended: never
  std::map<std::string, int> classes;  // by name_of_class(): how many executions were run of each
  std::set<std::string> final_states;  // of maximal executions, printed
  std::set<ToyBug> bugs;
};

// Whether the reference can run the program (reference_dpor.cpp says which programs it cannot).
bool is_for_reference(const ToyCode& code);

// Runs one execution of each class. executions_max: gives up beyond. REQUIRES: is_for_reference(code).
ReferenceResult explore_by_reference(const ToyCode& code, std::uint64_t executions_max);

}  // namespace thrum
