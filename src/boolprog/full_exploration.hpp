// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All reachable states of a program whose stacks and threads are bounded, for any number of contexts.
//
// Calls are replaced by the code of what they call (inline.hpp); a state is then the globals and, of each
// thread, its locals and its place. A set of states is one diagram. It grows by what each thread does by
// itself, until nothing new comes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "boolprog/interpreter.hpp"

namespace thrum::bp {

enum class Exploration : std::uint8_t {
  no_bug,       // nothing goes wrong, whatever the number of contexts
  bug,          // something does
  not_bounded,  // stacks or threads are not bounded, or too many
  out_of_budget,
};

struct ExplorationBudget {
  double seconds = 1;
  std::uint64_t nodes = 1000000;  // of diagrams
};

Exploration explore_fully(const Flow& flow, const Goal& goal, const ExplorationBudget& budget);

}  // namespace thrum::bp
