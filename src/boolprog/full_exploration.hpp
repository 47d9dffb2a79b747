// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes all reachable states of a program with bounded stacks and threads, for any number of contexts.
//
// Calls are inlined (inline.hpp). A state is then a valuation of the globals and of the locals and the place
// of each thread. A set of states is one BDD. In each round a thread adds the states that it reaches by
// itself, until a fixed point.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "boolprog/interpreter.hpp"

namespace thrum::bp {

enum class Exploration : std::uint8_t {
  no_bug,       // no failure in any number of contexts
  bug,          // some execution fails
  not_bounded,  // stacks or threads are not bounded, or too many
  out_of_budget,
};

struct ExplorationBudget {
  double seconds = 1;
  std::uint64_t nodes = 1000000;  // of diagrams
};

Exploration explore_fully(const Flow& flow, const Goal& goal, const ExplorationBudget& budget);

}  // namespace thrum::bp
