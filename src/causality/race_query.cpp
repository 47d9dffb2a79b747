// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/race_query.hpp"

#include <algorithm>

namespace thrum {

RaceQuery::RaceQuery(NodeEncoding& nodes, const DataEncoding& data) : nodes_(nodes), trees_(nodes.trees()) {
  add_program_order();
  add_synchronization();
  add_release_sequences(data);
  const RaceCandidates candidates(trees_);
  for (const auto& [first, second, condition] : candidates.races()) {
    add_candidate({first, second}, condition);
    add_candidate({second, first}, condition);
  }
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
  // Of atomic reads. An atomic value is that of an address, as for the judge.
  std::map<Node, std::vector<DataEncoding::Taken>> sources;
  data.visit_sources([&](Node read, const DataEncoding::Taken& taken) {
    if (taken.write == ThreadTrees::kNone || !trees_.access(read).is_atomic || trees_.is_of_futex_wait(read))
      return;
    if (trees_.access(read).object == taken.cell && trees_.access(taken.write).object == taken.cell)
      sources[read].push_back(taken);
  });
  const auto learns = [&](Node read, Literal when) {
    for (const DataEncoding::Taken& taken : sources[read])
      nodes_.add({-when, -taken.literal, carried_by(taken.write)});
  };
  for (Node node = 0; node < trees_.size(); ++node) {
    const ThreadTrees::Entry& entry = trees_[node];
    if (entry.kind == ThreadTrees::Kind::read && trees_.access(node).orders) learns(node, is_past(node));
    if (entry.kind == ThreadTrees::Kind::outcome && trees_.acquires(node))
      learns(trees_[entry.parent].parent, is_past(node));
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

// The second access may lie in a step that ends the execution, and that step alone.
RaceQuery::Literal RaceQuery::ends_in(Node step) {
  const auto [known, is_new] = ends_in_.try_emplace(step, 0);
  if (is_new) known->second = nodes_.stops_only_in(step);
  return known->second;
}

void RaceQuery::add_candidate(const Pair& pair, Node condition) {
  const Literal precedes = nodes_.precedes(pair.first, pair.second);
  if (precedes == -nodes_.truth()) return;
  const Literal literal = nodes_.solver().make_literal();
  nodes_.add({-literal, nodes_.executed(pair.first)});
  nodes_.add({-literal, nodes_.executed(pair.second)});
  nodes_.add({-literal, nodes_.executed(condition)});
  nodes_.add({-literal, ends_in(trees_[pair.second].step)});
  nodes_.add({-literal, precedes});
  nodes_.add({-literal, is_past(pair.second)});
  nodes_.add({-literal, -is_past(pair.first)});
  candidates_.push_back({pair, literal});
}

std::uint64_t RaceQuery::code_of_step(Node node) const {
  const Node step = trees_[node].step;
  return trees_[step].kind == ThreadTrees::Kind::event ? trees_.code(step) : 0;
}

RaceQuery::Places RaceQuery::places_of(const Pair& pair) const {
  const std::uint64_t first = code_of_step(pair.first);
  const std::uint64_t second = code_of_step(pair.second);
  const bool is_event = trees_[pair.first].kind == ThreadTrees::Kind::event;
  const std::uint64_t object =
      is_event ? trees_.operation(pair.first).object : trees_.access(pair.first).object;
  return {object, std::min(first, second), std::max(first, second)};
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
