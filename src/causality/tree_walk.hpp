// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random executions of what the trees know, without the program. One that comes to something which no
// execution has shown is a plan that no solver was asked for. That nothing is left, only a search through all
// states (tree_states.hpp) or the solver can say.
//
// Only where values decide. Tested by tests/causality/causality_test.cpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "causality/initial_state.hpp"
#include "causality/thread_trees.hpp"
#include "causality/tree_machine.hpp"
#include "support/random.hpp"

namespace thrum {

class TreeWalk {
 public:
  using Node = ThreadTrees::Node;

  // Both must outlive it.
  TreeWalk(const ThreadTrees& trees, const InitialState& initial) : trees_(trees), machine_(trees, initial) {}

  // Walks until something new is met, or so many steps were done. The steps that lead there, in their order,
  // with the one that shows it; none: nothing was met.
  std::vector<Node> find(std::uint64_t steps_max);
  // Of what was found: the waiter that the signal wakes, where several sleep; else kNone.
  Node chosen_by(Node signal) const;

  // The trees begin again.
  void forget() { machine_.forget(); }
  // Of the draws that follow.
  std::uint64_t random_state() const { return random_.state(); }
  void set_random_state(std::uint64_t state) { random_ = Random(state); }

 private:
  bool walk(std::uint64_t& steps);
  TreeMachine::Went step(Node operation);

  const ThreadTrees& trees_;
  TreeMachine machine_;
  Random random_{1};

  // Of a walk.
  TreeMachine::State state_;
  std::vector<Node> steps_;
  std::vector<Node> ready_;
  std::vector<ThreadId> sleepers_;
  std::vector<std::pair<Node, Node>> chosen_;  // signals, and the waiter that each wakes of several
};

}  // namespace thrum
