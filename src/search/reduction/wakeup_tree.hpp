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

  // What a sequence comes to.
  struct Inserted {
    bool added = false;  // of note(): it is another one than those that were noted
    bool lasts = true;   // the tree now stands for whatever has the same race, however it goes on behind that
  };
  // Puts the sequence in where nothing stands for it. It is used up. behind: nullptr, or a step that sleeps
  // where the tree is run, and does not commute with the sequence; then what merely commutes with it stands
  // for nothing that goes on otherwise. is_whole: the sequence holds all that is known to follow.
  Inserted insert(Branches& branches, Sequence& sequence, const StepView* behind = nullptr,
                  bool is_whole = true);

  // Likewise, where others put in what is new. Those that were put in so stand for the same again, and for
  // nothing that goes on behind their end or ends before it: what they come to elsewhere, it need not come
  // to.
  Inserted note(Branches& branches, Sequence& sequence);
  void note(Branches& branches, const StepView& step);

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

  // Whether so many sequences are there, or more.
  bool has_leaves(const Branches& branches, std::size_t count) const;

  // Makes that branch the first, where it is there.
  void bring_first(Branches& branches, const Step& step);

  // Takes the first branch off. The caller reads below(), then gives the node back.
  Node take_first(Branches& branches);
  void give_back(Node node);

  // Gives back all that is there.
  void clear(Branches& branches);

  // Moves branches of another pool into this one.
  Branches take_over(WakeupTrees& other, Branches& branches);

  // What was run from a point: a step, and what there is below it.
  struct Run {
    bool stops = false;   // the execution ended with it, by a bug
    bool relies = false;  // it stands only for what begins with it
    bool kept = false;  // what was run behind it is there, and stands by itself; else the step stands for it
    bool resumes = false;  // something is still to be run below it
    Branches branches;
  };
  // Behind all others.
  void add_run(Branches& branches, const StepView& step, const Run& run);
  bool is_run(Node node) const { return nodes_[node].is_run; }
  // REQUIRES of these: is_run(). The second takes off what is below it; nothing is to be run there then.
  Run run(Node node) const;
  Branches take_below(Node node);

  // What was run there, and what is to be run, each in a list of its own.
  struct Parted {
    Branches run;
    Branches rest;
  };
  Parted part(Branches branches);

  // Gives back what comes to a step that was run from there before anything that it does not commute with;
  // but nothing before that to which something is left that may not come to the step.
  void drop_asleep(Branches& branches, const StepView& sleeper);

  std::size_t live() const { return live_; }

  // By the ids that threads have; to be read on the same machine.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr unsigned kStepBits = 25;
  struct Entry {
    PlannedSteps::Number step : kStepBits;
    PlannedSteps::Number stays : 1;     // leave_to()
    PlannedSteps::Number is_noted : 1;  // note()
    PlannedSteps::Number is_run : 1;    // these as in Run
    PlannedSteps::Number stops : 1;
    PlannedSteps::Number relies : 1;
    PlannedSteps::Number kept : 1;
    PlannedSteps::Number resumes : 1;
    Branches branches;
    Node next = kNone;
  };
  Inserted put(Branches& root, Sequence& sequence, const StepView* behind, bool is_whole, bool is_noted);
  bool stands_for(Node node, const Sequence& sequence, bool is_whole, std::size_t& at) const;
  Node make(const StepView& step);
  void hold(Entry& entry, const StepView& step);
  void append(Branches& branches, Node node);

  std::vector<Entry> nodes_;
  std::vector<Node> resumed_;  // put()
  PlannedSteps steps_;
  Node free_ = kNone;
  std::size_t live_ = 0;
};

}  // namespace thrum
