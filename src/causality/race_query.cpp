// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/race_query.hpp"

#include <algorithm>

namespace thrum {

RaceQuery::RaceQuery(NodeEncoding& nodes, const DataEncoding& data) : nodes_(nodes), trees_(nodes.trees()) {
  add_program_order();
  add_synchronization();
  add_release_sequences(data);
  data.visit_cells(
      [this](std::span<const Node> writes, const std::vector<Node>& reads) { add_pairs(writes, reads); });
}

// Nodes that always come together, and that nothing synchronizes with by itself, have one literal.
void RaceQuery::add_program_order() {
  for (Node node = 0; node < trees_.size(); ++node) {
    const Node parent = trees_[node].parent;
    past_.push_back(nodes_.solver().make_literal());
    if (parent != ThreadTrees::kNone) nodes_.add({-past_[node], past_[parent]});
  }
}

void RaceQuery::add_synchronization() {
  for (const NodeEncoding::Synchronization& one : nodes_.synchronizations())
    nodes_.add({-is_past(one.second), -one.literals[0], -one.literals[1], is_past(one.first)});
}

// The last release fence before it in its thread; kNone.
RaceQuery::Node RaceQuery::fence_before(Node node) const {
  const ThreadId thread = trees_[node].thread;
  for (; node != ThreadTrees::kNone && trees_[node].thread == thread; node = trees_[node].parent) {
    if (trees_[node].kind != ThreadTrees::Kind::event) continue;
    const ThreadTrees::Operation& own = trees_.operation(node);
    if (own.operation == Operation::fence && (trees_.effect(node) & ThreadTrees::kReleases) != 0) return node;
  }
  return ThreadTrees::kNone;
}

// A release lets readers of its write know what came before it. A relaxed write does so for what came before
// the last release fence. A read-modify-write passes on besides what it has read ([intro.races], release
// sequences).
RaceQuery::Literal RaceQuery::carried_by(Node write) {
  const auto [known, is_new] = carried_.try_emplace(write, 0);
  if (!is_new) return known->second;
  const Literal literal = known->second = nodes_.solver().make_literal();
  const ThreadTrees::Access& own = trees_.access(write);
  if (!own.is_atomic) return literal;
  if (own.orders) {
    nodes_.add({-literal, is_past(write)});
  } else if (const Node fence = fence_before(write); fence != ThreadTrees::kNone) {
    nodes_.add({-literal, is_past(fence)});
  }
  return literal;
}

void RaceQuery::add_release_sequences(const DataEncoding& data) {
  std::map<Node, std::vector<DataEncoding::Taken>> sources;  // of atomic reads
  data.visit_sources([&](Node read, const DataEncoding::Taken& taken) {
    if (trees_.access(read).is_atomic && taken.write != ThreadTrees::kNone) sources[read].push_back(taken);
  });
  const auto learns = [&](Node read, Literal when) {
    for (const DataEncoding::Taken& taken : sources[read])
      nodes_.add({-when, -taken.literal, carried_by(taken.write)});
  };
  for (Node node = 0; node < trees_.size(); ++node) {
    const ThreadTrees::Entry& entry = trees_[node];
    if (entry.kind == ThreadTrees::Kind::read && trees_.access(node).orders) learns(node, is_past(node));
    if (entry.kind == ThreadTrees::Kind::write && trees_.access(node).is_update) {
      Node read = entry.parent;
      while (trees_[read].kind != ThreadTrees::Kind::read) read = trees_[read].parent;
      learns(read, carried_by(node));
    }
    const bool is_fence = entry.kind == ThreadTrees::Kind::event &&
                          trees_.operation(node).operation == Operation::fence &&
                          (trees_.effect(node) & ThreadTrees::kAcquires) != 0;
    // All that relaxed reads before it have read.
    for (Node read = entry.parent;
         is_fence && read != ThreadTrees::kNone && trees_[read].thread == entry.thread;
         read = trees_[read].parent) {
      if (trees_[read].kind == ThreadTrees::Kind::read && trees_.access(read).is_atomic)
        learns(read, is_past(node));
    }
  }
}

// The mutexes that the thread holds there.
const std::vector<std::uint64_t>& RaceQuery::held_at(Node node) {
  const Node step = trees_[node].step;
  const auto [known, is_new] = held_.try_emplace(step);
  if (!is_new) return known->second;
  std::vector<std::uint64_t> held;
  if (trees_[step].kind == ThreadTrees::Kind::event &&
      trees_[trees_[step].parent].thread == trees_[step].thread)
    held = held_at(trees_[step].parent);
  if (trees_[step].kind == ThreadTrees::Kind::event) {
    const ThreadTrees::Operation& own = trees_.operation(step);
    switch (own.operation) {
      case Operation::lock: held.push_back(own.object); break;
      case Operation::try_lock:
        if (own.way == 0) held.push_back(own.object);
        break;
      case Operation::wait_reacquire: held.push_back(own.operand); break;
      case Operation::unlock: std::erase(held, own.object); break;
      case Operation::wait_release: std::erase(held, own.operand); break;
      default: break;
    }
  }
  return held_[step] = std::move(held);
}

bool RaceQuery::share_a_lock(Node a, Node b) {
  // A thread that was just created stands in its creator's step, and holds nothing.
  const auto holds = [this](Node node) {
    return trees_[trees_[node].step].thread == trees_[node].thread ? held_at(node)
                                                                   : std::vector<std::uint64_t>();
  };
  const std::vector<std::uint64_t> of_b = holds(b);
  return std::ranges::any_of(
      holds(a), [&](std::uint64_t mutex) { return std::ranges::find(of_b, mutex) != of_b.end(); });
}

void RaceQuery::add_pairs(std::span<const Node> writes, const std::vector<Node>& reads) {
  for (std::size_t i = 0; i < writes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) add_pair(writes[i], writes[j]);
    for (const Node read : reads) add_pair(writes[i], read);
  }
  // A read-modify-write that changes nothing is a write all the same.
  for (const Node update : reads) {
    if (!trees_.access(update).is_update) continue;
    for (const Node read : reads) {
      if (!trees_.access(read).is_atomic) add_pair(update, read);
    }
  }
}

void RaceQuery::add_pair(Node a, Node b) {
  if (trees_.access(a).is_atomic && trees_.access(b).is_atomic) return;
  if (trees_.relation(a, b) != ThreadTrees::Relation::concurrent || share_a_lock(a, b)) return;
  for (const Pair pair : {Pair{a, b}, Pair{b, a}}) {
    const Literal precedes = nodes_.precedes(pair.first, pair.second);
    if (precedes == -nodes_.truth()) continue;
    const Literal literal = nodes_.solver().make_literal();
    nodes_.add({-literal, nodes_.executed(pair.first)});
    nodes_.add({-literal, nodes_.executed(pair.second)});
    nodes_.add({-literal, precedes});
    nodes_.add({-literal, is_past(pair.second)});
    nodes_.add({-literal, -is_past(pair.first)});
    candidates_.push_back({pair, literal});
  }
}

std::uint64_t RaceQuery::code_of_step(Node node) const {
  const Node step = trees_[node].step;
  return trees_[step].kind == ThreadTrees::Kind::event ? trees_.code(step) : 0;
}

RaceQuery::Places RaceQuery::places_of(const Pair& pair) const {
  const std::uint64_t first = code_of_step(pair.first);
  const std::uint64_t second = code_of_step(pair.second);
  return {trees_.access(pair.first).object, std::min(first, second), std::max(first, second)};
}

void RaceQuery::exclude(const Pair& pair) { excluded_.insert(places_of(pair)); }

std::optional<RaceQuery::Literal> RaceQuery::some_race() {
  std::erase_if(candidates_,
                [this](const Candidate& one) { return excluded_.contains(places_of(one.pair)); });
  if (candidates_.empty()) return std::nullopt;
  const Literal some = nodes_.solver().make_literal();
  std::vector<Literal> clause = {-some};
  for (const Candidate& candidate : candidates_) clause.push_back(candidate.literal);
  nodes_.add(clause);
  return some;
}

RaceQuery::Pair RaceQuery::found() const {
  for (const Candidate& candidate : candidates_) {
    if (nodes_.solver().is_true(candidate.literal)) return candidate.pair;
  }
  return {};
}

}  // namespace thrum
