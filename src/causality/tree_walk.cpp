// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/tree_walk.hpp"

#include <algorithm>

namespace thrum {

std::vector<TreeWalk::Node> TreeWalk::find(std::uint64_t steps_max) {
  machine_.extend();
  for (std::uint64_t steps = 0; steps < steps_max;) {
    if (walk(steps)) return steps_;
    ++steps;
  }
  return {};
}

TreeWalk::Node TreeWalk::chosen_by(Node signal) const {
  const auto of_signal = std::ranges::find(chosen_, signal, &std::pair<Node, Node>::first);
  return of_signal == chosen_.end() ? ThreadTrees::kNone : of_signal->second;
}

// Whether something new was met.
bool TreeWalk::walk(std::uint64_t& steps) {
  using Went = TreeMachine::Went;
  steps_.clear();
  chosen_.clear();
  Went went = machine_.start(state_);
  while (went == Went::on) {
    ready_.clear();
    for (ThreadId thread = 0; thread < machine_.threads(); ++thread) {
      const Node at = machine_.at(state_, thread);
      if (at == ThreadTrees::kNone || machine_.is_over(state_, thread)) continue;
      for (Node next = trees_[at].first_child; next != ThreadTrees::kNone; next = trees_[next].next_sibling) {
        if (trees_[next].kind == ThreadTrees::Kind::event && machine_.can_do(state_, next))
          ready_.push_back(next);
      }
    }
    if (ready_.empty()) return false;
    const auto unknown = std::ranges::find_if(ready_, [&](Node node) { return !trees_[node].is_executed; });
    if (unknown != ready_.end()) {
      steps_.push_back(*unknown);
      return true;
    }
    ++steps;
    went = step(ready_[random_.below(ready_.size())]);
  }
  return went == Went::to_news && !steps_.empty();
}

TreeMachine::Went TreeWalk::step(Node operation) {
  steps_.push_back(operation);
  machine_.find_sleepers(state_, operation, sleepers_);
  if (sleepers_.size() < 2) return machine_.step(state_, operation, kNoThread);
  const ThreadId woken = sleepers_[random_.below(sleepers_.size())];
  chosen_.emplace_back(operation, machine_.at(state_, woken));
  return machine_.step(state_, operation, woken);
}

}  // namespace thrum
