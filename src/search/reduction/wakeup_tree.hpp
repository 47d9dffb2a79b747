// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wakeup trees: the sequences that are still to be run from a point of an execution, as a tree that shares
// common beginnings (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 2017, section 6.1). A sequence is
// inserted only if no sequence of the tree covers it, so that no class is run twice.
//
// Example: the tree has the sequence 1 2, and 3 1 2 is to be inserted. If 3 commutes with 1 and 2, the
// sequence 1 2 covers it: whatever is run from there will run 3 behind. If 3 depends on 1, it is a second
// branch.
//
// All trees of a search lie in one pool. Few steps are different, so a node has the number of its step. There
// may be a branch for each execution that is still to be run: their number may grow with the length of the
// search. But what comes behind different beginnings is mostly alike. So, where the pool has grown, equal
// branches are made one (share()), and are copied again where one of them is to change. The trees are what
// they were, only smaller: of a writer and N readers there are 2^N sequences, and a node for each reader.
//
// Invariant: a node's `links` is the number of places that lead to it, in other nodes and in Branches. A node
// changes only where each node on the way to it has one link.
//
// Tested by wakeup_tree_test.cpp.
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

  // Its event is the essential() one.
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

  // Takes the first branch off. The caller reads below(), which is the caller's then, and gives the node
  // back.
  Node take_first(Branches& branches);
  void give_back(Node node);
  // Gives back all branches.
  void clear(Branches& branches);
  // Moves branches of another pool into this one.
  Branches take_over(WakeupTrees& other, Branches& branches);

  // Makes equal branches one if there are many nodes. Node numbers change, but for those in Branches.
  void share() {
    if (live_ > share_above_) make_one();
  }
  // For tests: how many nodes are many.
  void share_above(std::size_t live) { share_above_ = share_above_least_ = live; }

  std::size_t live() const { return live_; }

  // Steps have the ids of their threads.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.nodes_, self.steps_, self.free_, self.live_);
  }

 private:
  static constexpr unsigned kStepBits = 31;
  static constexpr std::size_t kShareAbove = 1 << 16;
  struct Entry {
    PlannedSteps::Number step : kStepBits;
    PlannedSteps::Number covers : 1;  // its subtree covers a reversal that was not inserted
    Branches branches;
    Node next = kNone;
    std::uint32_t links = 1;
  };
  // A place that leads to a node: the beginning of the tree, what is below a node, or what is next to it.
  struct Link {
    Node of = kNone;  // kNone: the beginning
    bool is_below = false;
  };
  // How a walk goes on behind a node, and whether the node covers something more from then on.
  struct Passed {
    bool goes_below;
    bool covers;
  };

  Node& at(Branches& root, Link link) {
    if (link.of == kNone) return root.first;
    return link.is_below ? nodes_[link.of].branches.first : nodes_[link.of].next;
  }
  // The node there, or a copy in its place, so that it may change. REQUIRES: all nodes on the way are owned.
  Node own(Branches& root, Link link) {
    const Node node = at(root, link);
    return __builtin_expect(nodes_[node].links == 1, 1) ? node : copy(root, link);
  }
  Node copy(Branches& root, Link link);
  Link own_way(Branches& root, Link link, std::size_t nodes);
  Link end_of(Branches& root);
  Node make(const StepView& step);
  Node make_node();
  void add_link(Node node) { nodes_[node].links += 1; }

  // wakeup_tree_share.cpp
  void make_one();
  std::vector<Node> by_height() const;
  std::vector<std::uint32_t> outer_links() const;
  void free_all_but(const std::vector<Node>& one_of);

  std::vector<Entry> nodes_;
  PlannedSteps steps_;
  Node free_ = kNone;
  std::size_t live_ = 0;
  std::size_t share_above_least_ = kShareAbove;
  std::size_t share_above_ = kShareAbove;
  std::vector<Passed> way_;  // of insert(), from the first node with several links on; kept for its memory
};

}  // namespace thrum
