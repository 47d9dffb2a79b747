// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/node_encoding.hpp"

namespace thrum {

NodeEncoding::NodeEncoding(const ThreadTrees& trees, Solver& solver) : trees_(trees), solver_(solver) {
  truth_ = solver_.make_literal();
  solver_.add({truth_});  // no clause has it (add()): for what is assumed, and looked up in models
  goes_on_ = solver_.make_literal();
}

void NodeEncoding::add_node(Node node) {
  using Kind = ThreadTrees::Kind;
  const ThreadTrees::Entry& entry = trees_[node];
  const bool is_first = entry.parent == ThreadTrees::kNone;
  const bool begins = trees_.begins_step(node);
  const bool is_own = !is_first && (begins || entry.kind == Kind::outcome);
  executed_.push_back(is_first ? truth_ : is_own ? solver_.make_literal() : executed_[entry.parent]);
  steps_.push_back(begins ? solver_.make_step() : steps_[entry.parent]);
  if (is_own) add({-executed_[node], executed_[entry.parent]});
  if (is_first) return;
  if (begins) add({solver_.before(steps_[entry.parent], steps_[node])});
  if (entry.kind == Kind::outcome) return;
  // A thread does one of the ways in which an operation can end.
  for (Node other = entry.next_sibling; other != ThreadTrees::kNone; other = trees_[other].next_sibling) {
    if (trees_[other].kind != Kind::start && entry.kind != Kind::start)
      exclude_both(executed_[node], executed_[other]);
  }
}

void NodeEncoding::add_stop(Node stop) {
  stops_.push_back(stop);
  add({-goes_on_, -executed_[stop]});
}

NodeEncoding::Literal NodeEncoding::stops_only_in(Node step) {
  const Literal literal = solver_.make_literal();
  for (const Node stop : stops_) {
    if (trees_[stop].step != step) add({-literal, -executed_[stop], precedes(step, stop)});
  }
  return literal;
}

NodeEncoding::Literal NodeEncoding::precedes(Node a, Node b) {
  switch (trees_.relation(a, b)) {
    case Relation::before: return truth_;
    case Relation::concurrent: return steps_[a] == steps_[b] ? -truth_ : solver_.before(steps_[a], steps_[b]);
    default: return -truth_;
  }
}

void NodeEncoding::add(std::span<const Literal> clause) {
  clause_.clear();
  for (const Literal literal : clause) {
    if (literal == truth_) return;
    if (literal != -truth_) clause_.push_back(literal);
  }
  solver_.add(clause_);
  ++clauses_;
}

NodeEncoding::Need NodeEncoding::add_need(Literal literal) {
  needs_.push_back({literal});
  guards_.push_back(0);
  changed_.push_back(static_cast<Need>(needs_.size() - 1));
  return changed_.back();
}

void NodeEncoding::offer(Need need, Literal option) {
  needs_[need].options.push_back(option);
  if (needs_[need].is_changed) return;
  needs_[need].is_changed = true;
  changed_.push_back(need);
}

std::span<const NodeEncoding::Literal> NodeEncoding::settle_needs() {
  for (const Need number : changed_) {
    NeedOptions& need = needs_[number];
    // It is not assumed any more, so the solver may forget its clause.
    if (need.guard != 0) add({-need.guard});
    need.guard = solver_.make_literal();
    std::vector<Literal> clause = need.options;
    clause.insert(clause.end(), {-need.guard, -need.literal});
    add(clause);
    need.is_changed = false;
    guards_[number] = need.guard;
  }
  changed_.clear();
  return guards_;
}

}  // namespace thrum
