// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wakeup trees: the sequences that are still to be run from a point of an execution, as a tree that shares
// common beginnings (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 2017, section 6.1). A sequence is
// inserted only if no sequence of the tree covers it, so that no class is run twice.
//
// Example: the tree has the sequence 1 2, and 3 1 2 is to be inserted. If 3 commutes with 1 and 2, the
// sequence 1 2 covers it: whatever is run from there will run 3 behind. If 3 depends on 1, it is a second
// branch.
//
// All trees of a search lie in one pool. There may be a node for each execution that is still to be run,
// while few steps are different: so a node has the number of its step.
#pragma once

#include <cstdint>
#include <vector>

#include "order/planned_step.hpp"
#include "order/sequence.hpp"

namespace thrum {

class WakeupTrees {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = 0xffffffff;

  // The branches of a point, or those below a node, in the order in which they are to be run.
  struct Branches {
    Node first = kNone;  // next() leads to the others
    bool empty() const { return first == kNone; }
  };

  const PlannedStep& step(Node node) const { return steps_[nodes_[node].step]; }
  Branches below(Node node) const { return nodes_[node].branches; }
  Node next(Node node) const { return nodes_[node].next; }

  // Inserts the sequence, which is used up, unless the tree covers it. Whether the tree now covers all
  // reversals of the race, whatever their tail.
  bool insert(Branches& branches, Sequence& sequence);

  // A branch of one step.
  void add_first(Branches& branches, const StepView& step);
  void add_last(Branches& branches, const StepView& step);

  // The branch that begins with that step, or kNone.
  Node find(Branches branches, const Step& step) const;
  bool holds(Branches branches, const Step& step) const { return find(branches, step) != kNone; }
  // Makes it the first one, if there is one.
  void bring_first(Branches& branches, const Step& step);

  // Takes out the branches, below steps that commute with it, that begin with a step that sleeps now. Keeps
  // nodes that cover other reversals, which may begin an execution in vain (docs/reduction.md).
  void drop_asleep(Branches& branches, const StepView& sleeper);

  // Takes the first branch off. The caller reads below(), then gives the node back.
  Node take_first(Branches& branches);
  void give_back(Node node);
  // Gives back all branches.
  void clear(Branches& branches);
  // Moves branches of another pool into this one.
  Branches take_over(WakeupTrees& other, Branches& branches);

  std::size_t live() const { return live_; }

  // Steps have the ids of their threads.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.nodes_, self.steps_, self.free_, self.live_);
  }

 private:
  static constexpr unsigned kStepBits = 31;
  struct Entry {
    PlannedSteps::Number step : kStepBits;
    PlannedSteps::Number covers : 1;  // its subtree covers a reversal that was not inserted
    Branches branches;
    Node next = kNone;
  };
  Node make(const StepView& step);
  Node add_below(Branches& root, Node parent, const StepView& step);  // kNone: below none
  void append(Branches& branches, Node node);

  std::vector<Entry> nodes_;
  PlannedSteps steps_;
  Node free_ = kNone;
  std::size_t live_ = 0;
};

}  // namespace thrum
