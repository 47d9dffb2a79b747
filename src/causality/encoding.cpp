// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/encoding.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace thrum {

Encoding::Encoding(Deciding deciding, const ThreadTrees& trees, Terms& terms, const InitialState& initial,
                   std::unique_ptr<Solver> solver, Cells cells, double clauses_at_once)
    : deciding_(deciding),
      trees_(trees),
      terms_(terms),
      solver_(std::move(solver)),
      nodes_(trees, *solver_),
      data_(deciding, nodes_, terms, initial, clauses_at_once),
      sync_(nodes_, initial) {
  data_.use_cells(std::move(cells));
}

bool Encoding::extend(const Interrupt* interrupt) {
  using Kind = ThreadTrees::Kind;
  const auto end = static_cast<Node>(trees_.size());
  bool stays = true;
  for (Node node = seen_; node < end; ++node) {
    const Kind kind = trees_[node].kind;
    if (kind == Kind::read || kind == Kind::write) stays = data_.add_cells_of(node) && stays;
  }
  if (!stays && seen_ != 0) return false;
  if (seen_ != end) {
    final_states_.reset();
    races_.reset();
    freed_.reset();
  }
  others_.resize(end, 0);
  for (; seen_ < end; ++seen_) {
    if (interrupt != nullptr && interrupt->is_raised()) return true;
    const Node node = seen_;
    nodes_.add_node(node);
    switch (trees_[node].kind) {
      case Kind::read: data_.add_read(node); break;
      case Kind::write: data_.add_write(node); break;
      case Kind::event: add_event(node); break;
      case Kind::end: sync_.add_end(node); break;
      case Kind::wait: break;
      // Nothing comes after it. That it is reached was seen.
      case Kind::stop: nodes_.add_stop(node); break;
      case Kind::decision:
        others_[node] = solver_->make_literal();
        nodes_.add({-others_[node], nodes_.executed(node)});
        break;
      case Kind::outcome: add_outcome(node); break;
      case Kind::start: sync_.add_start(node); break;
    }
  }
  data_.learn_initial_values();
  sync_.learn_initial_state();
  add_effects();
  return true;
}

// The effect of a wake is known once the call was made in one of its ways.
bool Encoding::is_effect_known(Node event) const {
  return trees_[event].is_executed || trees_.effect(event) != 0;
}

void Encoding::add_event(Node event) {
  if (has_effect(trees_.operation(event).operation) && !is_effect_known(event)) {
    without_effect_.push_back(event);
  } else {
    sync_.add_event(event);
  }
}

// Of operations that were done in the meantime. Those that were not are targets, and what they do matters
// only behind them.
void Encoding::add_effects() {
  std::erase_if(without_effect_, [&](Node event) {
    if (!is_effect_known(event)) return false;
    final_states_.reset();
    races_.reset();
    freed_.reset();
    sync_.add_event(event);
    return true;
  });
}

void Encoding::add_outcome(Node outcome) {
  const Node decision = trees_[outcome].parent;
  const Literal is_so = goes_there(outcome);
  const Literal own = nodes_.executed(outcome);
  nodes_.add({-own, is_so});
  nodes_.add({-nodes_.executed(decision), -is_so, own});
  nodes_.add({-others_[decision], -is_so});
}

// Whether the value is that of the outcome.
Encoding::Literal Encoding::goes_there(Node outcome) {
  const Node decision = trees_[outcome].parent;
  if (deciding_ == Deciding::values) return data_.gives(trees_[decision].parent, trees_.value(outcome));
  const Term term = trees_.decision(decision).term;
  const Term value = terms_.constant(trees_.value(outcome), terms_.width(term));
  return solver_->holds(terms_.make(TermKind::equal, term, value));
}

// Whether no other outcome is possible.
bool Encoding::is_closed(Node decision) const {
  const ThreadTrees::Decision& own = trees_.decision(decision);
  return own.term != Terms::kNone && terms_.width(own.term) == 1 && own.outcomes.size() == 2;
}

std::vector<Encoding::Target> Encoding::targets() const {
  using Kind = ThreadTrees::Kind;
  std::vector<Target> found;
  for (Node node = 0; node < seen_; ++node) {
    const ThreadTrees::Entry& entry = trees_[node];
    if (entry.kind == Kind::decision) {
      if (!is_closed(node)) found.push_back({node, others_[node]});
    } else if (!entry.is_executed ||
               (entry.kind != Kind::end && entry.kind != Kind::stop && entry.kind != Kind::wait &&
                trees_.next_of(node) == ThreadTrees::kNone)) {
      found.push_back({node, nodes_.executed(node)});
    }
  }
  return found;
}

Solver::Answer Encoding::solve(std::span<const Target> targets, Solver::Limit limit) {
  const Literal some = solver_->make_literal();
  std::vector<Literal> clause = {-some};
  for (const Target& target : targets) clause.push_back(target.literal);
  nodes_.add(clause);
  return solve(some, limit);
}

Solver::Answer Encoding::solve(std::span<const Literal> literals, Solver::Limit limit) {
  std::vector<Literal> assumptions(literals.begin(), literals.end());
  assumptions.push_back(nodes_.goes_on());
  return solve_as_it_stands(assumptions, limit);
}

Solver::Answer Encoding::solve_as_it_stands(std::span<const Literal> literals, Solver::Limit limit) {
  const std::span<const Literal> needs = nodes_.settle_needs();
  std::vector<Literal> assumptions(needs.begin(), needs.end());
  assumptions.insert(assumptions.end(), literals.begin(), literals.end());
  return solve_and_fill(assumptions, limit);
}

// What is left out of the clauses is added where a model violates it.
Solver::Answer Encoding::solve_and_fill(std::span<const Literal> assumptions, Solver::Limit limit) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  const std::uint64_t work_before = solver_->work();
  Solver::Limit left = limit;
  while (true) {
    const Solver::Answer answer = solver_->solve(assumptions, left);
    if (answer != Solver::Answer::satisfiable || !data_.fill()) return answer;
    left.seconds = limit.seconds - std::chrono::duration<double>(Clock::now() - begun).count();
    const std::uint64_t work = solver_->work() - work_before;
    const bool is_out_of_work = limit.work != 0 && work >= limit.work;
    if (left.seconds <= 0 || is_out_of_work) return Solver::Answer::unknown;
    if (limit.work != 0) left.work = limit.work - static_cast<std::uint32_t>(work);
  }
}

FinalStates& Encoding::final_states() {
  if (!final_states_) final_states_ = std::make_unique<FinalStates>(nodes_, data_, sync_);
  return *final_states_;
}

FreedQuery& Encoding::freed() {
  if (!freed_) freed_ = std::make_unique<FreedQuery>(nodes_, RaceCandidates(trees_));
  return *freed_;
}

RaceQuery& Encoding::races() {
  if (!races_) races_ = std::make_unique<RaceQuery>(nodes_, data_);
  return *races_;
}

Encoding::Target Encoding::reached(std::span<const Target> targets) {
  Target first;
  std::int64_t first_place = 0;
  for (const Target& target : targets) {
    if (!solver_->is_true(target.literal)) continue;
    const std::int64_t place = solver_->place(nodes_.step(target.node));
    if (first.node != ThreadTrees::kNone && first_place <= place) continue;
    first = target;
    first_place = place;
  }
  return first;
}

std::vector<std::pair<std::int64_t, Encoding::Node>> Encoding::executed_steps() {
  std::vector<std::pair<std::int64_t, Node>> order;
  for (Node node = 0; node < seen_; ++node) {
    if (trees_.begins_step(node) && solver_->is_true(nodes_.executed(node)))
      order.emplace_back(solver_->place(nodes_.step(node)), node);
  }
  std::ranges::sort(order);
  return order;
}

std::vector<Encoding::Node> Encoding::steps() {
  std::vector<Node> steps;
  for (const auto& [place, node] : executed_steps()) steps.push_back(node);
  return steps;
}

std::vector<Encoding::Node> Encoding::steps_up_to(Node last) {
  const Node last_step = trees_[last].step;
  const std::int64_t limit = solver_->place(nodes_.step(last_step));
  std::vector<Node> steps;
  for (const auto& [place, node] : executed_steps()) {
    if (place < limit) steps.push_back(node);
  }
  steps.push_back(last_step);
  return steps;
}

}  // namespace thrum
