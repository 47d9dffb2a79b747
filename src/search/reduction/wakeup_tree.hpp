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

  // Inserts the sequence, which is used up, unless the tree covers it. Whether the tree now covers all
  // reversals of the race, whatever their tail.
  bool insert(Branches& branches, Sequence& sequence);

  // A branch of one step.
  void add_first(Branches& branches, const StepView& step);
  void add_last(Branches& branches, const StepView& step);

  // The same below a node of the tree whose branches are given; kNone: below none. Gives the new node.
  Node add_below(Branches& root, Node parent, const StepView& step);

  // Whether a branch begins with that step.
  bool holds(const Branches& branches, const Step& step) const { return find(branches, step) != kNone; }
  // The subtree of the node covers a reversal that was not inserted: drop_asleep() keeps the node.
  void mark_covering(Node node) { nodes_[node].covers = true; }
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

  // Takes out the branches, below steps that commute with it, that begin with a step that sleeps now. Keeps a
  // node that covers other reversals (mark_covering()).
  void drop_asleep(Branches& branches, const StepView& sleeper);

  std::size_t live() const { return live_; }

  // By the ids that threads have; to be read on the same machine.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr unsigned kStepBits = 31;
  struct Entry {
    PlannedSteps::Number step : kStepBits;
    PlannedSteps::Number covers : 1;  // mark_covering()
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
