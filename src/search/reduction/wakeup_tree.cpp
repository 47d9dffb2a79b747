// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/wakeup_tree.hpp"

#include <algorithm>
#include <utility>

#include "support/check.hpp"

namespace thrum {

WakeupTrees::Inserted WakeupTrees::insert(Branches& branches, Sequence& sequence, const StepView* behind,
                                          bool is_whole) {
  return put(branches, sequence, behind, is_whole, false);
}

WakeupTrees::Inserted WakeupTrees::note(Branches& branches, Sequence& sequence) {
  return put(branches, sequence, nullptr, true, true);
}

void WakeupTrees::note(Branches& branches, const StepView& step) {
  add_last(branches, step);
  nodes_[branches.last].is_noted = true;
}

// Whether the sequence may begin with the node's step, and what is there stands for what it goes on with
// then. at: as Sequence::first_of().
bool WakeupTrees::stands_for(Node node, const Sequence& sequence, bool is_whole, std::size_t& at) const {
  if (!sequence.may_begin_with(step(node), at)) return false;
  const Entry& entry = nodes_[node];
  return !entry.is_run || at != Sequence::kNone || (is_whole && !entry.stops && !entry.relies);
}

WakeupTrees::Inserted WakeupTrees::put(Branches& root, Sequence& sequence, const StepView* behind,
                                       bool is_whole, bool is_noted) {
  Inserted inserted;
  resumed_.clear();
  bool passes = false;  // steps that are not in the sequence
  Node parent = kNone;  // the node below which the sequence goes on
  Branches* branches = &root;
  while (!sequence.empty()) {
    Node node = branches->first;
    std::size_t at = Sequence::kNone;
    while (node != kNone && !stands_for(node, sequence, is_whole, at)) {
      if (!sequence.common_is_erased() && !sequence.rules_out(step(node), at)) inserted.lasts = false;
      node = nodes_[node].next;
    }
    if (node == kNone) break;
    if (behind != nullptr && !commute(step(node), *behind)) behind = nullptr;
    if (!sequence.common_is_erased() && (at == Sequence::kNone || !sequence.is_common(at)))
      inserted.lasts = false;
    if (nodes_[node].is_noted) inserted.lasts = false;
    if (nodes_[node].is_run) {
      if (!nodes_[node].kept) return inserted;
      resumed_.push_back(node);
    } else if (nodes_[node].branches.empty() && !nodes_[node].is_noted) {
      if (behind == nullptr) {  // whatever follows is run anyway
        leave_to(node);
        return inserted;
      }
      // How many events its thread has had by then nobody has asked of a last step; the sequence knows.
      if (at == Sequence::kNone) break;
      PlannedStep followed = step(node);
      followed.events_after = sequence[at].events_after;
      const PlannedSteps::Number before = nodes_[node].step;
      hold(nodes_[node], followed);
      steps_.release(before);
    }
    passes = passes || at == Sequence::kNone;
    if (at != Sequence::kNone) sequence.erase(at);
    if (sequence.common_is_erased()) leave_to(node);
    parent = node;
    branches = &nodes_[node].branches;
  }
  // Of what is noted only the same is the same.
  inserted.added = !sequence.empty() || (is_noted && (passes || !branches->empty()));
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    parent = add_below(root, parent, sequence[i]);
    nodes_[parent].is_noted = is_noted;
    if (sequence.is_common(i) && !sequence.is_common(i + 1)) leave_to(parent);
  }
  if (inserted.added) {
    for (const Node node : resumed_) nodes_[node].resumes = true;
  }
  return inserted;
}

void WakeupTrees::add_first(Branches& branches, const StepView& step) {
  Node node = make(step);
  leave_to(node);
  nodes_[node].next = branches.first;
  branches.first = node;
  if (branches.last == kNone) branches.last = node;
}

void WakeupTrees::add_last(Branches& branches, const StepView& step) {
  Node node = make(step);
  leave_to(node);
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

bool WakeupTrees::has_leaves(const Branches& branches, std::size_t count) const {
  std::vector<Node> rest = {branches.first};
  while (count > 0 && !rest.empty()) {
    const Node node = rest.back();
    rest.pop_back();
    if (node == kNone) continue;
    rest.push_back(next(node));
    const Node below = nodes_[node].branches.first;
    if (below == kNone) --count;
    rest.push_back(below);
  }
  return count == 0;
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
    Entry entry = other.nodes_[theirs];
    entry.step = nodes_[mine].step;
    entry.branches = {};
    nodes_[mine] = entry;
    append(level.above == kNone ? taken : nodes_[level.above].branches, mine);
    levels.push_back({mine, other.below(theirs)});
    other.give_back(theirs);
  }
  branches = {};
  return taken;
}

void WakeupTrees::add_run(Branches& branches, const StepView& step, const Run& run) {
  const Node node = make(step);
  Entry& entry = nodes_[node];
  entry.stays = entry.is_run = true;
  entry.stops = run.stops;
  entry.relies = run.relies;
  entry.kept = run.kept;
  entry.resumes = run.resumes;
  entry.branches = run.branches;
  append(branches, node);
}

WakeupTrees::Run WakeupTrees::run(Node node) const {
  const Entry& entry = nodes_[node];
  return {entry.stops != 0, entry.relies != 0, entry.kept != 0, entry.resumes != 0, entry.branches};
}

WakeupTrees::Branches WakeupTrees::take_below(Node node) {
  nodes_[node].resumes = false;
  return std::exchange(nodes_[node].branches, {});
}

WakeupTrees::Parted WakeupTrees::part(Branches branches) {
  Parted parted;
  while (!branches.empty()) {
    const Node node = take_first(branches);
    append(is_run(node) ? parted.run : parted.rest, node);
  }
  return parted;
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
      if (done.kept.empty() && !nodes_[done.above].stays) {
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
  hold(entry, step);
  entry.stays = entry.is_noted = entry.is_run = false;
  entry.branches = {};
  entry.next = kNone;
  ++live_;
  return node;
}

void WakeupTrees::hold(Entry& entry, const StepView& step) {
  constexpr PlannedSteps::Number kEnd = PlannedSteps::Number{1} << kStepBits;
  const PlannedSteps::Number number = steps_.keep(step);
  THRUM_CHECK(number < kEnd);
  entry.step = number & (kEnd - 1);
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
