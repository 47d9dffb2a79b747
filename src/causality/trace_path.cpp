// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/trace_path.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

std::uint64_t way_of(const ThreadTrees::Operation& operation) {
  return static_cast<std::uint64_t>(operation.operation) << 16 | operation.way;
}

TracePath::TracePath(Deciding deciding, InitialState& initial, const Terms& terms, const Trace& trace)
    : inputs_(trace.inputs) {
  TraceLearner learner(deciding, trees_, initial);
  learner.learn(trace);
  lasts_ = learner.lasts();
  not_covered_ = learner.not_covered().empty() ? trees_.problem() : learner.not_covered();
  if (not_covered_.empty() && trace.compares_deadlines) not_covered_ = "several deadlines";
  branches_.resize(lasts_.size());
  for (ThreadId thread = 0; thread < threads(); ++thread) {
    if (lasts_[thread] != ThreadTrees::kNone) find_branches(terms, thread);
  }
}

// What the thread has done behind its start.
std::vector<TracePath::Node> TracePath::nodes_of(ThreadId thread) const {
  std::vector<Node> nodes;
  Node node = lasts_[thread];
  for (; node != ThreadTrees::kNone && trees_[node].kind != ThreadTrees::Kind::start;
       node = trees_[node].parent)
    nodes.push_back(node);
  std::ranges::reverse(nodes);
  return nodes;
}

std::vector<TracePath::Node> TracePath::steps(ThreadId thread) const {
  std::vector<Node> nodes = nodes_of(thread);
  std::erase_if(nodes, [&](Node node) { return !trees_.begins_step(node); });
  return nodes;
}

void TracePath::find_branches(const Terms& terms, ThreadId thread) {
  for (const Node node : nodes_of(thread)) {
    if (trees_[node].kind == ThreadTrees::Kind::outcome) add_outcome(terms, thread, node);
    if (trees_[node].kind == ThreadTrees::Kind::event) add_operation(thread, node);
  }
}

void TracePath::add_outcome(const Terms& terms, ThreadId thread, Node node) {
  const Node decision = trees_[node].parent;
  const Term term = trees_.decision(decision).term;
  Branch branch{decision, node, trees_.value(node)};
  branch.is_open = term == Terms::kNone || terms.width(term) > 1;
  if (!branch.is_open) branch.others = {1 - branch.value};
  branches_[thread].push_back(std::move(branch));
}

void TracePath::add_operation(ThreadId thread, Node node) {
  const Node before = trees_[node].parent;
  Branch branch{before, node, thrum::way_of(trees_.operation(node))};
  for (Node other = trees_[before].first_child; other != ThreadTrees::kNone;
       other = trees_[other].next_sibling) {
    if (other != node && trees_[other].kind == ThreadTrees::Kind::event)
      branch.others.push_back(thrum::way_of(trees_.operation(other)));
  }
  if (!branch.others.empty()) branches_[thread].push_back(std::move(branch));
}

TracePath::Cut TracePath::up_to(ThreadId thread, std::size_t branches) const {
  const std::vector<Branch>& own = branches_[thread];
  branches = std::min(branches, own.size());
  return {
      branches < own.size() ? own[branches].place : lasts_[thread], static_cast<std::uint32_t>(branches), {}};
}

std::optional<TracePath::Cut> TracePath::other_at(ThreadId thread, std::size_t branch,
                                                  std::vector<std::uint64_t> excluded) const {
  const Branch& own = branches_[thread][branch];
  excluded.push_back(own.value);
  std::ranges::sort(excluded);
  excluded.erase(std::ranges::unique(excluded).begin(), excluded.end());
  const auto is_left = [&](std::uint64_t value) { return !std::ranges::binary_search(excluded, value); };
  if (!own.is_open && !std::ranges::any_of(own.others, is_left)) return {};
  Cut cut = up_to(thread, branch);
  cut.excluded = std::move(excluded);
  return cut;
}

bool TracePath::contains(const Prefix& prefix, Node node) const {
  const Node stop = prefix[trees_[node].thread].stop;
  return stop != ThreadTrees::kNone && (node == stop || trees_.is_before(node, stop));
}

// Whether the prefix has what the node has to wait for.
bool TracePath::may_come(const Prefix& prefix, Node node) const {
  const ThreadTrees::Entry& entry = trees_[node];
  if (entry.kind == ThreadTrees::Kind::start)
    return entry.parent == ThreadTrees::kNone || contains(prefix, entry.parent);
  if (entry.kind != ThreadTrees::Kind::event) return true;
  const ThreadTrees::Operation& own = trees_.operation(node);
  if (own.operation != Operation::thread_join || own.other >= threads()) return true;
  const Cut& other = prefix[own.other];
  return other.stop == lasts_[own.other] && other.excluded.empty();
}

// Whether the thread goes less far than the cut says; it is changed then.
bool TracePath::shorten(const Prefix& prefix, ThreadId thread, Cut& cut) const {
  Node first = ThreadTrees::kNone;
  for (Node node = cut.stop; node != ThreadTrees::kNone && trees_[node].thread == thread;
       node = trees_[node].parent) {
    if (!may_come(prefix, node)) first = node;
  }
  if (first == ThreadTrees::kNone) return false;
  cut.excluded.clear();
  if (trees_[first].kind == ThreadTrees::Kind::start) {
    cut.stop = ThreadTrees::kNone;
    cut.branches = 0;
    return true;
  }
  cut.stop = trees_[first].parent;
  const auto is_behind = [&](const Branch& branch) {
    return branch.taken != cut.stop && !trees_.is_before(branch.taken, cut.stop);
  };
  const std::vector<Branch>& own = branches_[thread];
  cut.branches = static_cast<std::uint32_t>(std::ranges::find_if(own, is_behind) - own.begin());
  return true;
}

TracePath::Prefix TracePath::closed(Prefix prefix) const {
  bool is_changed = true;
  while (is_changed) {
    is_changed = false;
    for (ThreadId thread = 0; thread < threads(); ++thread) {
      if (prefix[thread].stop != ThreadTrees::kNone)
        is_changed = shorten(prefix, thread, prefix[thread]) || is_changed;
    }
  }
  return prefix;
}

bool TracePath::goes(const Ways& ways) const {
  for (std::size_t thread = 0; thread < ways.size(); ++thread) {
    const ThreadWay& way = ways[thread];
    const std::span<const Branch> own =
        thread < threads() ? branches(static_cast<ThreadId>(thread)) : std::span<const Branch>();
    if (own.size() < way.values.size() + (way.excluded.empty() ? 0 : 1)) return false;
    for (std::size_t i = 0; i < way.values.size(); ++i) {
      if (own[i].value != way.values[i]) return false;
    }
    if (!way.excluded.empty() && std::ranges::count(way.excluded, own[way.values.size()].value) != 0)
      return false;
  }
  return true;
}

ThreadWay TracePath::way_of(ThreadId thread, const Cut& cut) const {
  ThreadWay way;
  for (std::size_t i = 0; i < cut.branches; ++i) way.values.push_back(branches_[thread][i].value);
  if (cut.excluded.empty()) return way;
  const Branch& next = branches_[thread][cut.branches];
  std::vector<std::uint64_t> left;
  for (const std::uint64_t other : next.others) {
    if (!std::ranges::binary_search(cut.excluded, other)) left.push_back(other);
  }
  if (!next.is_open && left.size() == 1) {
    way.values.push_back(left[0]);
  } else {
    way.excluded = cut.excluded;
  }
  return way;
}

Ways TracePath::ways_of(const Prefix& prefix) const {
  Ways ways;
  for (ThreadId thread = 0; thread < threads(); ++thread) ways.push_back(way_of(thread, prefix[thread]));
  return ways;
}

}  // namespace thrum
