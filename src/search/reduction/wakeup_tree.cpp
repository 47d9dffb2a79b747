// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/wakeup_tree.hpp"

#include <unordered_map>
#include <utility>

#include "support/check.hpp"

namespace thrum {

bool WakeupTrees::insert(Branches& root, Sequence& sequence) {
  bool lasts = true;
  Link end;
  bool owns_all = true;
  way_.clear();
  std::size_t changes = 0;  // so many nodes of the way are its own from now on
  const auto pass = [&](Node passed, bool goes_below, bool covers) {
    Entry& entry = nodes_[passed];
    owns_all = owns_all && entry.links == 1;
    if (owns_all) {
      if (covers && !entry.covers) entry.covers = true;
      end = {passed, goes_below};
      return;
    }
    way_.push_back({goes_below, covers});
    if (covers && !entry.covers) changes = way_.size();
  };
  Node node = root.first;
  while (!sequence.empty()) {
    std::size_t at = Sequence::kNone;
    while (node != kNone && !sequence.may_begin_with(step(node), at)) {
      if (!sequence.common_is_erased() && !sequence.rules_out(step(node), at)) lasts = false;
      pass(node, false, false);
      node = nodes_[node].next;
    }
    if (node == kNone) break;
    const Entry& entry = nodes_[node];
    if (!sequence.common_is_erased() && (at == Sequence::kNone || !sequence.is_common(at))) lasts = false;
    if (entry.branches.empty()) {  // whatever follows is run anyway
      pass(node, true, true);
      own_way(root, end, changes);
      return lasts;
    }
    if (at != Sequence::kNone) sequence.erase(at);
    pass(node, true, sequence.common_is_erased());
    node = entry.branches.first;
  }
  end = own_way(root, end, sequence.empty() ? changes : way_.size());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const Node added = make(sequence[i]);
    this->at(root, end) = added;
    if (sequence.is_common(i) && !sequence.is_common(i + 1)) nodes_[added].covers = true;
    end = {added, true};
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
  const Link end = end_of(branches);
  const Node node = make(step);
  nodes_[node].covers = true;
  at(branches, end) = node;
}

WakeupTrees::Node WakeupTrees::copy(Branches& root, Link link) {
  const Node shared = at(root, link);
  const Node node = make_node();
  Entry& entry = nodes_[node];
  entry = nodes_[shared];
  entry.links = 1;
  steps_.keep(PlannedSteps::Number{entry.step});
  if (!entry.branches.empty()) add_link(entry.branches.first);
  if (entry.next != kNone) add_link(entry.next);
  --nodes_[shared].links;
  at(root, link) = node;
  return node;
}

// Owns the first nodes of the way behind that link, and notes what they cover. Where the way goes on.
WakeupTrees::Link WakeupTrees::own_way(Branches& root, Link link, std::size_t nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    link = {own(root, link), way_[i].goes_below};
    if (way_[i].covers) nodes_[link.of].covers = true;
  }
  return link;
}

// Behind the last branch.
WakeupTrees::Link WakeupTrees::end_of(Branches& root) {
  Link link;
  while (at(root, link) != kNone) link = {own(root, link), false};
  return link;
}

WakeupTrees::Node WakeupTrees::find(Branches branches, const Step& step) const {
  Node node = branches.first;
  while (node != kNone && this->step(node).step != step) node = next(node);
  return node;
}

void WakeupTrees::bring_first(Branches& branches, const Step& step) {
  if (find(branches, step) == kNone) return;
  Link link;
  Node node = own(branches, link);
  while (this->step(node).step != step) {
    link = {node, false};
    node = own(branches, link);
  }
  at(branches, link) = next(node);
  nodes_[node].next = branches.first;
  branches.first = node;
}

WakeupTrees::Node WakeupTrees::take_first(Branches& branches) {
  const Node node = own(branches, {});
  branches.first = next(node);
  return node;
}

void WakeupTrees::give_back(Node node) {
  steps_.release(nodes_[node].step);
  nodes_[node].next = free_;
  nodes_[node].links = 0;
  free_ = node;
  --live_;
}

// This and the next two without recursion: a sequence may be as long as an execution.
void WakeupTrees::clear(Branches& branches) {
  std::vector<Node> rest = {std::exchange(branches, {}).first};
  while (!rest.empty()) {
    const Node node = rest.back();
    rest.pop_back();
    if (node == kNone || --nodes_[node].links != 0) continue;
    rest.push_back(next(node));
    rest.push_back(below(node).first);
    give_back(node);
  }
}

WakeupTrees::Branches WakeupTrees::take_over(WakeupTrees& other, Branches& branches) {
  struct Move {
    Node theirs;
    Link to;  // ours
  };
  Branches taken;
  std::unordered_map<Node, Node> known;  // of theirs that have several links: ours
  std::vector<Move> rest = {{branches.first, {}}};
  while (!rest.empty()) {
    const auto [theirs, to] = rest.back();
    rest.pop_back();
    if (theirs == kNone) continue;
    const Entry& entry = other.nodes_[theirs];
    if (const auto ours = known.find(theirs); ours != known.end()) {
      add_link(ours->second);
      at(taken, to) = ours->second;
      continue;
    }
    const Node mine = make(other.step(theirs));
    nodes_[mine].covers = entry.covers;
    at(taken, to) = mine;
    if (entry.links > 1) known.emplace(theirs, mine);
    rest.push_back({entry.next, {mine, false}});
    rest.push_back({entry.branches.first, {mine, true}});
  }
  other.clear(branches);
  return taken;
}

// What it looks at becomes its own, since most of it may change.
void WakeupTrees::drop_asleep(Branches& branches, const StepView& sleeper) {
  std::vector<Link> links = {{}};  // to a node, and to each node above it
  const auto drop = [&] {
    const Node node = own(branches, links.back());
    at(branches, links.back()) = next(node);
    clear(nodes_[node].branches);
    give_back(node);
  };
  while (true) {
    if (at(branches, links.back()) == kNone) {  // all that is below the node above was looked at
      links.pop_back();
      if (links.empty()) return;
      const Node above = at(branches, links.back());
      if (nodes_[above].branches.empty() && !nodes_[above].covers) {
        drop();
      } else {
        links.back() = {above, false};
      }
      continue;
    }
    const Node node = own(branches, links.back());
    const PlannedStep& planned = step(node);
    const bool may_swap = planned.event.thread != sleeper.event->thread && commute(planned, sleeper);
    if (!planned.awake && planned.step == sleeper.step) {
      drop();
    } else if (!nodes_[node].branches.empty() && may_swap) {
      links.push_back({node, true});
    } else {
      links.back() = {node, false};
    }
  }
}

WakeupTrees::Node WakeupTrees::make_node() {
  Node node = free_;
  if (node == kNone) {
    node = static_cast<Node>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[node].next;
  }
  ++live_;
  return node;
}

WakeupTrees::Node WakeupTrees::make(const StepView& step) {
  constexpr PlannedSteps::Number kEnd = PlannedSteps::Number{1} << kStepBits;
  const Event event = essential(*step.event);
  const PlannedSteps::Number number = steps_.keep(StepView(step, event));
  THRUM_CHECK(number < kEnd);
  const Node node = make_node();
  Entry& entry = nodes_[node];
  entry.step = number & (kEnd - 1);
  entry.covers = false;
  entry.branches = {};
  entry.next = kNone;
  entry.links = 1;
  return node;
}

}  // namespace thrum
