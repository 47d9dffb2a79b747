// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares best-first search with the oracle and, for its order, with a model of it that keeps all that waits
// in one list. Like the functions of compare.hpp, they give the first disagreement as text.
#pragma once

#include <string>

#include "oracle/compare_reduction.hpp"
#include "oracle/oracle.hpp"

namespace thrum {

// With each list of priorities that is worth trying, with several bounds: each execution within the bound
// once, and no other; it claims what is so.
std::string compare_best_first(const ToyCode& code, const Findings& findings, std::uint64_t seed);

// The plans come in the model's order: the least key, and among those the newest. And in the same one where
// nearly all that waits is in a file, also of icb and dfs.
std::string compare_order(const ToyCode& code, const Findings& findings, std::uint64_t seed);

// best-first-dpor with each list of priorities, with and without enough memory: only executions that there
// are; all the oracle's final states, bugs and classes; nothing kept at the end. REQUIRES: findings have the
// classes.
std::string compare_best_first_dpor(const ToyCode& code, const Findings& findings, std::uint64_t seed,
                                    ReductionCount& count);

}  // namespace thrum
