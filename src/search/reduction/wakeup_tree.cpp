// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/wakeup_tree.hpp"

#include <algorithm>
#include <utility>

#include "support/check.hpp"

namespace thrum {

bool WakeupTrees::insert(Branches& root, Sequence& sequence) {
  bool lasts = true;
  Node parent = kNone;  // the node below which the sequence goes on
  Branches* branches = &root;
  while (!sequence.empty()) {
    Node node = branches->first;
    std::size_t at = Sequence::kNone;
    while (node != kNone && !sequence.may_begin_with(step(node), at)) {
      if (!sequence.common_is_erased() && !sequence.rules_out(step(node), at)) lasts = false;
      node = nodes_[node].next;
    }
    if (node == kNone) break;
    if (!sequence.common_is_erased() && (at == Sequence::kNone || !sequence.is_common(at))) lasts = false;
    if (nodes_[node].branches.empty()) {  // whatever follows is run anyway
      mark_covering(node);
      return lasts;
    }
    if (at != Sequence::kNone) sequence.erase(at);
    if (sequence.common_is_erased()) mark_covering(node);
    parent = node;
    branches = &nodes_[node].branches;
  }
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    parent = add_below(root, parent, sequence[i]);
    if (sequence.is_common(i) && !sequence.is_common(i + 1)) mark_covering(parent);
  }
  return lasts;
}

void WakeupTrees::add_first(Branches& branches, const StepView& step) {
  Node node = make(step);
  mark_covering(node);
  nodes_[node].next = branches.first;
  branches.first = node;
  if (branches.last == kNone) branches.last = node;
}

void WakeupTrees::add_last(Branches& branches, const StepView& step) {
  Node node = make(step);
  mark_covering(node);
  append(branches, node);
}

WakeupTrees::Node WakeupTrees::add_below(Branches& root, Node parent, const StepView& step) {
  const Node node = make(step);
  append(parent == kNone ? root : nodes_[parent].branches, node);
  return node;
}

WakeupTrees::Node WakeupTrees::find(const Branches& branches, const Step& step) const {
  Node node = branches.first;
  while (node != kNone && !(steps_[nodes_[node].step].step == step)) node = nodes_[node].next;
  return node;
}

void WakeupTrees::bring_first(Branches& branches, const Step& step) {
  Branches rest = std::exchange(branches, {});
  Node first = kNone;
  while (!rest.empty()) {
    const Node node = take_first(rest);
    if (steps_[nodes_[node].step].step == step) {
      first = node;
    } else {
      append(branches, node);
    }
  }
  if (first == kNone) return;
  nodes_[first].next = branches.first;
  branches.first = first;
  if (branches.last == kNone) branches.last = first;
}

WakeupTrees::Node WakeupTrees::take_first(Branches& branches) {
  Node node = branches.first;
  branches.first = nodes_[node].next;
  if (branches.first == kNone) branches.last = kNone;
  return node;
}

void WakeupTrees::give_back(Node node) {
  steps_.release(nodes_[node].step);
  nodes_[node].next = free_;
  free_ = node;
  --live_;
}

void WakeupTrees::clear(Branches& branches) {
  std::vector<Node> rest;
  while (!branches.empty()) rest.push_back(take_first(branches));
  while (!rest.empty()) {
    Node node = rest.back();
    rest.pop_back();
    Branches below = nodes_[node].branches;
    while (!below.empty()) rest.push_back(take_first(below));
    give_back(node);
  }
}

WakeupTrees::Branches WakeupTrees::take_over(WakeupTrees& other, Branches& branches) {
  struct Level {
    Node above;  // kNone: the branches themselves
    Branches rest;
  };
  Branches taken;
  std::vector<Level> levels = {{kNone, branches}};
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.rest.empty()) {
      levels.pop_back();
      continue;
    }
    const Node theirs = other.take_first(level.rest);
    const Node mine = make(other.step(theirs));
    nodes_[mine].covers = other.nodes_[theirs].covers;
    append(level.above == kNone ? taken : nodes_[level.above].branches, mine);
    levels.push_back({mine, other.below(theirs)});
    other.give_back(theirs);
  }
  branches = {};
  return taken;
}

// Without recursion: a sequence may be as long as an execution.
void WakeupTrees::drop_asleep(Branches& branches, const StepView& sleeper) {
  struct Level {
    Node above;
    Branches rest;  // to be looked at
    Branches kept;
  };
  std::vector<Level> levels = {{kNone, branches, {}}};
  while (true) {
    Level& level = levels.back();
    if (level.rest.empty()) {
      const Level done = level;
      levels.pop_back();
      if (levels.empty()) {
        branches = done.kept;
        return;
      }
      nodes_[done.above].branches = done.kept;
      if (done.kept.empty() && !nodes_[done.above].covers) {
        give_back(done.above);
      } else {
        append(levels.back().kept, done.above);
      }
      continue;
    }
    const Node node = take_first(level.rest);
    Entry& entry = nodes_[node];
    const PlannedStep& planned = step(node);
    const bool is_same_thread = planned.event.thread == sleeper.event->thread;
    if (planned.step == sleeper.step) {
      clear(entry.branches);
      give_back(node);
    } else if (!entry.branches.empty() && !is_same_thread && commute(planned, sleeper)) {
      levels.push_back({node, entry.branches, {}});
    } else {
      append(level.kept, node);
    }
  }
}

WakeupTrees::Node WakeupTrees::make(const StepView& step) {
  Node node = free_;
  if (node == kNone) {
    node = static_cast<Node>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[node].next;
  }
  Entry& entry = nodes_[node];
  constexpr PlannedSteps::Number kEnd = PlannedSteps::Number{1} << kStepBits;
  const PlannedSteps::Number number = steps_.keep(step);
  THRUM_CHECK(number < kEnd);
  entry.step = number & (kEnd - 1);
  entry.covers = false;
  entry.branches = {};
  entry.next = kNone;
  ++live_;
  return node;
}

void WakeupTrees::append(Branches& branches, Node node) {
  nodes_[node].next = kNone;
  if (branches.last == kNone) {
    branches.first = node;
  } else {
    nodes_[branches.last].next = node;
  }
  branches.last = node;
}

void WakeupTrees::save(ByteWriter& out) const {
  out.put_all(nodes_);
  steps_.save(out);
  out.put(free_);
  out.put(std::uint64_t{live_});
}

void WakeupTrees::load(ByteReader& in) {
  in.get_all(nodes_);
  steps_.load(in);
  free_ = in.get<Node>();
  live_ = in.get<std::uint64_t>();
}

}  // namespace thrum
