// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/wakeup_tree.hpp"

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
      nodes_[node].covers = true;
      return lasts;
    }
    if (at != Sequence::kNone) sequence.erase(at);
    if (sequence.common_is_erased()) nodes_[node].covers = true;
    parent = node;
    branches = &nodes_[node].branches;
  }
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    parent = add_below(root, parent, sequence[i]);
    if (sequence.is_common(i) && !sequence.is_common(i + 1)) nodes_[parent].covers = true;
  }
  return lasts;
}

void WakeupTrees::add_first(Branches& branches, const StepView& step) {
  Node node = make(step);
  nodes_[node].covers = true;
  nodes_[node].next = branches.first;
  branches.first = node;
}

void WakeupTrees::add_last(Branches& branches, const StepView& step) {
  nodes_[add_below(branches, kNone, step)].covers = true;
}

WakeupTrees::Node WakeupTrees::add_below(Branches& root, Node parent, const StepView& step) {
  const Node node = make(step);
  append(parent == kNone ? root : nodes_[parent].branches, node);
  return node;
}

WakeupTrees::Node WakeupTrees::find(Branches branches, const Step& step) const {
  Node node = branches.first;
  while (node != kNone && this->step(node).step != step) node = next(node);
  return node;
}

void WakeupTrees::bring_first(Branches& branches, const Step& step) {
  const Node node = find(branches, step);
  if (node == kNone) return;
  Node* link = &branches.first;
  while (*link != node) link = &nodes_[*link].next;
  *link = next(node);
  nodes_[node].next = branches.first;
  branches.first = node;
}

WakeupTrees::Node WakeupTrees::take_first(Branches& branches) {
  const Node node = branches.first;
  branches.first = next(node);
  return node;
}

void WakeupTrees::give_back(Node node) {
  steps_.release(nodes_[node].step);
  nodes_[node].next = free_;
  free_ = node;
  --live_;
}

// This and the next two without recursion: a sequence may be as long as an execution.
void WakeupTrees::clear(Branches& branches) {
  std::vector<Node> rest = {std::exchange(branches, {}).first};
  while (!rest.empty()) {
    const Node node = rest.back();
    rest.pop_back();
    if (node == kNone) continue;
    rest.push_back(next(node));
    rest.push_back(below(node).first);
    give_back(node);
  }
}

WakeupTrees::Branches WakeupTrees::take_over(WakeupTrees& other, Branches& branches) {
  struct Move {
    Node theirs;
    Node above;  // ours; kNone: the branches themselves
  };
  Branches taken;
  std::vector<Move> rest = {{branches.first, kNone}};
  while (!rest.empty()) {
    const auto [theirs, above] = rest.back();
    rest.pop_back();
    if (theirs == kNone) continue;
    const Node mine = make(other.step(theirs));
    nodes_[mine].covers = other.nodes_[theirs].covers;
    append(above == kNone ? taken : nodes_[above].branches, mine);
    rest.push_back({other.next(theirs), above});
    rest.push_back({other.below(theirs).first, mine});
  }
  other.clear(branches);
  return taken;
}

void WakeupTrees::drop_asleep(Branches& branches, const StepView& sleeper) {
  std::vector<Node*> links = {&branches.first};  // to a node, and to each node above it
  const auto drop = [&] {
    const Node node = *links.back();
    *links.back() = next(node);
    clear(nodes_[node].branches);
    give_back(node);
  };
  while (true) {
    const Node node = *links.back();
    if (node == kNone) {  // all that is below the node above was looked at
      links.pop_back();
      if (links.empty()) return;
      Entry& above = nodes_[*links.back()];
      if (above.branches.empty() && !above.covers) {
        drop();
      } else {
        links.back() = &above.next;
      }
      continue;
    }
    Entry& entry = nodes_[node];
    const PlannedStep& planned = step(node);
    const bool may_swap = planned.event.thread != sleeper.event->thread && commute(planned, sleeper);
    if (!planned.awake && planned.step == sleeper.step) {
      drop();
    } else if (!entry.branches.empty() && may_swap) {
      links.push_back(&entry.branches.first);
    } else {
      links.back() = &entry.next;
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
  Node* link = &branches.first;
  while (*link != kNone) link = &nodes_[*link].next;
  *link = node;
}

}  // namespace thrum
