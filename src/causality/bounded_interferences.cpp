// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/bounded_interferences.hpp"

namespace thrum {

Wanted BoundedInterferences::wanted() const {
  return {Wanted::kChoices | Wanted::kEvents | Wanted::kAccesses | Wanted::kTerms | Wanted::kDecisions,
          Wanted::From::start, 0};
}

LiteralCount& BoundedInterferences::count() {
  Encoding& encoding = knowledge_.encoding();
  if (counted_encoding_ != knowledge_.encodings()) {
    counted_encoding_ = knowledge_.encodings();
    counted_ = 0;
    count_.emplace(encoding.solver());
  }
  for (; counted_ < encoding.interferences().size(); ++counted_)
    count_->add(encoding.interferences()[counted_].literal);
  return *count_;
}

// Whether something new can be reached, so that the solver has an execution that does so. no bound: with any
// number of interferences.
bool BoundedInterferences::ask(std::optional<std::uint32_t> bound) {
  Encoding& encoding = knowledge_.encoding();
  const Solver::Literal some = encoding.solver().make_literal();
  std::vector<Solver::Literal> clause = {-some};
  for (const Target& target : encoding.targets()) clause.push_back(target.literal);
  encoding.solver().add(clause);
  std::vector<Solver::Literal> assumptions = {some};
  if (bound) assumptions.push_back(count().at_most(*bound));
  ++queries_;
  const Solver::Answer answer = encoding.solve(assumptions, limit_);
  if (answer == Solver::Answer::unknown) problem_ = "the solver gave up on something that a thread might do";
  return answer == Solver::Answer::satisfiable;
}

bool BoundedInterferences::next(Plan& plan) {
  plan = {};
  if (done_) return false;
  if (!begun_) {
    begun_ = true;
    return true;
  }
  Encoding& encoding = knowledge_.encoding();
  if (problem_.empty()) problem_ = knowledge_.problem();
  while (problem_.empty()) {
    if (ask(bound_)) {
      const Target target = encoding.reached(encoding.targets());
      plan = knowledge_.plan_of(encoding.steps_up_to(target.node));
      known_ = knowledge_.changes();
      return true;
    }
    if (!problem_.empty() || !ask({})) break;
    ++bound_;
  }
  done_ = true;
  return false;
}

void BoundedInterferences::learn(const Plan&, const Trace& trace) {
  knowledge_.learn(trace);
  if (problem_.empty()) problem_ = knowledge_.problem();
  if (problem_.empty() && knowledge_.changes() == known_)
    problem_ = "an execution did not show what the solver said";
}

Guarantee BoundedInterferences::guarantee() const {
  Guarantee guarantee;
  guarantee.exhausted = done_ && problem_.empty();
  guarantee.covers = Covers::assertions;
  return guarantee;
}

}  // namespace thrum
