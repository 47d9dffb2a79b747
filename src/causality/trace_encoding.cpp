// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/trace_encoding.hpp"

#include <algorithm>
#include <utility>

#include "causality/planned_steps.hpp"

namespace thrum {

TraceEncoding::TraceEncoding(Deciding deciding, const TracePath& path, Terms& terms,
                             const InitialState& initial, std::unique_ptr<Solver> solver)
    : deciding_(deciding),
      path_(path),
      trees_(path.trees()),
      terms_(terms),
      solver_(std::move(solver)),
      nodes_(trees_, *solver_),
      data_(deciding, nodes_, terms, initial),
      sync_(nodes_, initial) {
  const auto end = static_cast<Node>(trees_.size());
  for (Node node = 0; node < end; ++node) {
    const ThreadTrees::Kind kind = trees_[node].kind;
    if (kind == ThreadTrees::Kind::read || kind == ThreadTrees::Kind::write) data_.add_cells_of(node);
  }
  for (Node node = 0; node < end; ++node) add(node);
  for (Node node = 0; node < end; ++node) {
    if (trees_[node].kind == ThreadTrees::Kind::stop) fail_last(node);
    if (may_write(node)) read_before(node);
  }
  data_.learn_initial_values();
  sync_.learn_initial_state();
  const std::span<const Literal> needs = nodes_.settle_needs();
  needs_.assign(needs.begin(), needs.end());
}

void TraceEncoding::add(Node node) {
  using Kind = ThreadTrees::Kind;
  nodes_.add_node(node);
  switch (trees_[node].kind) {
    case Kind::read: data_.add_read(node); break;
    case Kind::write: data_.add_write(node); break;
    case Kind::event: sync_.add_event(node); break;
    case Kind::end: sync_.add_end(node); break;
    case Kind::outcome:
      if (deciding_ == Deciding::values)
        nodes_.add({-nodes_.executed(node), has_value(trees_[node].parent, trees_.value(node))});
      break;
    default: break;
  }
}

TraceEncoding::Literal TraceEncoding::has_value(Node decision, std::uint64_t value) {
  if (deciding_ == Deciding::values) return data_.gives(trees_[decision].parent, value);
  const Term term = trees_.decision(decision).term;
  return solver_->holds(terms_.make(TermKind::equal, term, terms_.constant(value, terms_.width(term))));
}

void TraceEncoding::fail_last(Node failure) {
  for (Node other = 0; other < trees_.size(); ++other) {
    if (trees_.begins_step(other) && other != trees_[failure].step)
      nodes_.add({-nodes_.executed(failure), -nodes_.executed(other), nodes_.precedes(other, failure)});
  }
}

bool TraceEncoding::may_write(Node decision) const {
  if (deciding_ != Deciding::terms || trees_[decision].kind != ThreadTrees::Kind::decision) return false;
  const Node read = trees_[decision].parent;
  if (trees_[read].kind != ThreadTrees::Kind::read) return false;
  const Node event = trees_[read].parent;
  return trees_[event].kind == ThreadTrees::Kind::event &&
         trees_.operation(event).operation == Operation::compare_exchange;
}

// What the compare-exchange writes is known only if it ends as it did there, or fails.
void TraceEncoding::read_before(Node decision) {
  const ThreadTrees::Access& own = trees_.access(trees_[decision].parent);
  const Literal ends_so = nodes_.executed(trees_.next_of(decision));
  for (Node read = 0; read < trees_.size(); ++read) {
    if (trees_[read].kind != ThreadTrees::Kind::read) continue;
    const ThreadTrees::Access& other = trees_.access(read);
    const bool meets = own.object < other.object + other.size && other.object < own.object + own.size;
    if (!meets || trees_.relation(read, decision) != ThreadTrees::Relation::concurrent) continue;
    nodes_.add({-nodes_.executed(decision), ends_so, has_value(decision, 0), -nodes_.executed(read),
                nodes_.precedes(read, decision)});
  }
}

// ---- Prefixes.

// Those of the prefix are executed, and none behind them.
void TraceEncoding::assume_nodes(const Prefix& prefix) {
  assumed_ = needs_;
  for (Node node = 0; node < trees_.size(); ++node) {
    const ThreadTrees::Entry& entry = trees_[node];
    if (path_.contains(prefix, node)) {
      if (prefix[entry.thread].stop == node) assumed_.push_back(nodes_.executed(node));
      continue;
    }
    const bool is_own = trees_.begins_step(node) || entry.kind == ThreadTrees::Kind::outcome;
    if (!is_own || entry.parent == ThreadTrees::kNone || !path_.contains(prefix, entry.parent)) continue;
    const TracePath::Cut& cut = prefix[entry.thread];
    const bool is_way = entry.kind == ThreadTrees::Kind::event && entry.parent == cut.stop &&
                        !cut.excluded.empty() &&
                        !std::ranges::binary_search(cut.excluded, way_of(trees_.operation(node)));
    if (!is_way) assumed_.push_back(-nodes_.executed(node));
  }
}

void TraceEncoding::label(const Prefix& prefix, ThreadId thread) {
  const TracePath::Cut& cut = prefix[thread];
  const std::span<const TracePath::Branch> branches = path_.branches(thread);
  for (const TracePath::Branch& branch : branches.first(cut.branches)) {
    if (trees_[branch.place].kind == ThreadTrees::Kind::decision)
      labels_.push_back({thread, has_value(branch.place, branch.value)});
  }
  if (!cut.excluded.empty()) label_other(thread, cut);
}

// The branch behind the prefix has another outcome.
void TraceEncoding::label_other(ThreadId thread, const TracePath::Cut& cut) {
  if (trees_[cut.stop].kind == ThreadTrees::Kind::decision) {
    for (const std::uint64_t value : cut.excluded) labels_.push_back({thread, -has_value(cut.stop, value)});
    return;
  }
  const Literal ends_otherwise = solver_->make_literal();
  std::vector<Literal> clause = {-ends_otherwise};
  for (Node way = trees_[cut.stop].first_child; way != ThreadTrees::kNone; way = trees_[way].next_sibling) {
    if (trees_[way].kind == ThreadTrees::Kind::event &&
        !std::ranges::binary_search(cut.excluded, way_of(trees_.operation(way))))
      clause.push_back(nodes_.executed(way));
  }
  nodes_.add(clause);
  labels_.push_back({thread, ends_otherwise});
}

std::vector<TraceEncoding::Literal> TraceEncoding::with(std::span<const Label> labels) const {
  std::vector<Literal> all = assumed_;
  for (const Label& label : labels) all.push_back(label.literal);
  return all;
}

Solver::Answer TraceEncoding::solve(std::span<const Literal> assumptions, Solver::Limit limit) {
  ++queries_;
  return solver_->solve(assumptions, limit);
}

Solver::Answer TraceEncoding::solve(const Prefix& prefix, Solver::Limit limit) {
  labels_.clear();
  core_.clear();
  assume_nodes(prefix);
  for (ThreadId thread = 0; thread < path_.threads(); ++thread) {
    if (prefix[thread].stop != ThreadTrees::kNone) label(prefix, thread);
  }
  const Solver::Answer answer = solve(with(labels_), limit);
  if (answer == Solver::Answer::unsatisfiable) find_core(limit);
  return answer;
}

// Leaves out one branch after the other, and keeps those that are needed.
void TraceEncoding::find_core(Solver::Limit limit) {
  const auto keep_core = [&](std::vector<Label>& labels) {
    const std::vector<Literal>& core = solver_->core();
    std::erase_if(labels, [&](const Label& label) { return std::ranges::count(core, label.literal) == 0; });
  };
  std::vector<Label> labels = labels_;
  keep_core(labels);
  for (std::size_t i = 0; i < labels.size();) {
    std::vector<Label> fewer = labels;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (solve(with(fewer), limit) == Solver::Answer::unsatisfiable) {
      keep_core(fewer);
      labels = std::move(fewer);
    } else {
      ++i;
    }
  }
  for (const Label& label : labels) core_.insert(label.thread);
}

std::vector<TraceEncoding::Node> TraceEncoding::steps() {
  std::vector<std::pair<std::int64_t, Node>> order;
  for (Node node = 0; node < trees_.size(); ++node) {
    if (trees_.begins_step(node) && solver_->is_true(nodes_.executed(node)))
      order.emplace_back(solver_->place(nodes_.step(node)), node);
  }
  std::ranges::sort(order);
  std::vector<Node> steps;
  for (const auto& [place, node] : order) steps.push_back(node);
  return steps;
}

Plan TraceEncoding::plan_of(std::span<const Node> steps) {
  Plan plan;
  write_steps(plan, trees_, steps, [&](Node signal) { return sync_.chosen_by(signal); });
  write_inputs(plan, path_.inputs(), *solver_);
  return plan;
}

}  // namespace thrum
