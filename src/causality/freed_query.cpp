// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/freed_query.hpp"

namespace thrum {

FreedQuery::FreedQuery(NodeEncoding& nodes, const RaceCandidates& candidates)
    : nodes_(nodes), trees_(nodes.trees()) {
  for (const auto& [free, access, condition] : candidates.uses_of_freed()) add(free, access);
}

// The second access may lie in a step that ends the execution, and that step alone.
FreedQuery::Literal FreedQuery::ends_in(Node step) {
  const auto [known, is_new] = ends_in_.try_emplace(step, 0);
  if (is_new) known->second = nodes_.stops_only_in(step);
  return known->second;
}

void FreedQuery::add(Node free, Node access) {
  const Literal precedes = nodes_.precedes(free, access);
  if (precedes == -nodes_.truth()) return;
  const Literal literal = nodes_.solver().make_literal();
  nodes_.add({-literal, nodes_.executed(free)});
  nodes_.add({-literal, nodes_.executed(access)});
  nodes_.add({-literal, ends_in(trees_[access].step)});
  nodes_.add({-literal, precedes});
  candidates_.push_back({{free, access}, literal});
}

FreedQuery::Places FreedQuery::places_of(const ThreadTrees& trees, const Use& use) {
  const auto code = [&trees](Node node) {
    const Node step = trees[node].step;
    return trees[step].kind == ThreadTrees::Kind::event ? trees.code(step) : 0;
  };
  return {code(use.free), code(use.access)};
}

std::optional<FreedQuery::Literal> FreedQuery::some_use(const std::set<Places>& known) {
  std::erase_if(candidates_, [&](const auto& one) { return known.contains(places_of(trees_, one.first)); });
  if (candidates_.empty()) return std::nullopt;
  const Literal some = nodes_.solver().make_literal();
  std::vector<Literal> clause = {-some};
  for (const auto& [use, literal] : candidates_) clause.push_back(literal);
  nodes_.add(clause);
  return some;
}

FreedQuery::Use FreedQuery::found() const {
  for (const auto& [use, literal] : candidates_) {
    if (nodes_.solver().is_true(literal)) return use;
  }
  return {};
}

}  // namespace thrum
