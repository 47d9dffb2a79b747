// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wakeup trees: what is still to be run from a point of an execution, as sequences of steps that share their
// beginnings (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 2017, section 6.1). A sequence is put in
// only where no sequence that is there already comes to the same, so that nothing is run twice.
//
// All trees of a search lie in one pool. There may be a node for each execution that is still to be run,
// while few steps are different: so a node has the number of its step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "order/planned_step.hpp"
#include "order/sequence.hpp"
#include "support/bytes.hpp"

namespace thrum {

class WakeupTrees {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = 0xffffffff;

  // The branches of a point, from the first to be run to the last.
  struct Branches {
    Node first = kNone;
    Node last = kNone;
    bool empty() const { return first == kNone; }
  };

  const PlannedStep& step(Node node) const { return steps_[nodes_[node].step]; }
  Branches below(Node node) const { return nodes_[node].branches; }
  Node next(Node node) const { return nodes_[node].next; }

  // Puts the sequence in where nothing stands for it. It is used up. Whether the tree now stands for whatever
  // has the same race, however it goes on behind that.
  bool insert(Branches& branches, Sequence& sequence);

  // A branch of one step.
  void add_first(Branches& branches, const StepView& step);
  void add_last(Branches& branches, const StepView& step);

  // Likewise below a node of the tree whose branches are given; kNone: below none. The new node.
  Node add_below(Branches& root, Node parent, const StepView& step);

  // Whether a branch begins with that step.
  bool holds(const Branches& branches, const Step& step) const { return find(branches, step) != kNone; }
  // Something is left to what is run behind the node.
  void leave_to(Node node) { nodes_[node].stays = true; }
  // That branch, or kNone.
  Node find(const Branches& branches, const Step& step) const;

  // Makes that branch the first, where it is there.
  void bring_first(Branches& branches, const Step& step);

  // Takes the first branch off. The caller reads below(), then gives the node back.
  Node take_first(Branches& branches);
  void give_back(Node node);

  // Gives back all that is there.
  void clear(Branches& branches);

  // Moves branches of another pool into this one.
  Branches take_over(WakeupTrees& other, Branches& branches);

  // Gives back what comes to a step that was run from there before anything that it does not commute with;
  // but nothing before that to which something is left that may not come to the step.
  void drop_asleep(Branches& branches, const StepView& sleeper);

  std::size_t live() const { return live_; }

  // By the ids that threads have; to be read on the same machine.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr unsigned kStepBits = 31;
  struct Entry {
    PlannedSteps::Number step : kStepBits;
    PlannedSteps::Number stays : 1;  // leave_to()
    Branches branches;
    Node next = kNone;
  };
  Node make(const StepView& step);
  void append(Branches& branches, Node node);

  std::vector<Entry> nodes_;
  PlannedSteps steps_;
  Node free_ = kNone;
  std::size_t live_ = 0;
};

}  // namespace thrum
