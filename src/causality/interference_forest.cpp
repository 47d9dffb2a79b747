// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/interference_forest.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

Wanted InterferenceForest::wanted() const {
  return {Wanted::kChoices | Wanted::kEvents | Wanted::kAccesses | Wanted::kTerms | Wanted::kDecisions,
          Wanted::From::start, 0};
}

std::string InterferenceForest::problem() const {
  if (!not_covered_.empty()) return not_covered_;
  return "scenarios of interferences are only a peer to compare with (docs/causality.md)";
}

std::uint64_t InterferenceForest::scenarios() const {
  std::uint64_t sum = 0;
  for (const auto& level : forest_) sum += level.size();
  return sum;
}

// That there are no interferences but these; all: and that there are all of these.
std::vector<Solver::Literal> InterferenceForest::only(const Scenario& scenario, bool all) const {
  std::vector<Solver::Literal> assumptions;
  for (const DataEncoding::Interference& each : encoding_->interferences()) {
    if (!scenario.contains({each.read, each.write, each.cell})) {
      assumptions.push_back(-each.literal);
    } else if (all) {
      assumptions.insert(assumptions.end(), {each.literal, encoding_->executed(each.read)});
    }
  }
  return assumptions;
}

bool InterferenceForest::ask(std::vector<Solver::Literal> assumptions) {
  ++queries_;
  const Solver::Answer answer = encoding_->solve(assumptions, limit_);
  if (answer == Solver::Answer::unknown && not_covered_.empty())
    not_covered_ = "the solver gave up on a scenario";
  return answer == Solver::Answer::satisfiable;
}

// Whether threads may do something new behind it.
bool InterferenceForest::search(const Scenario& scenario, Plan& plan) {
  const std::vector<Encoding::Target> targets = encoding_->targets();
  const Solver::Literal some = encoding_->solver().make_literal();
  std::vector<Solver::Literal> clause = {-some};
  for (const Encoding::Target& target : targets) clause.push_back(target.literal);
  encoding_->solver().add(clause);
  std::vector<Solver::Literal> assumptions = only(scenario, false);
  assumptions.push_back(some);
  if (!ask(std::move(assumptions))) return false;
  known_ = knowledge_.changes();
  target_ = encoding_->reached(targets).node;
  plan = knowledge_.plan_of(encoding_->steps_up_to(target_));
  return true;
}

// Whether one more interference makes it a scenario that can be executed and was not. Where one is not
// enough, several of the same step may be, since they come at once. from: the first interference that may be
// added; if it is not 0, the one before it was.
bool InterferenceForest::extend(const Scenario& scenario, std::size_t from, Plan& plan) {
  const std::vector<DataEncoding::Interference>& all = encoding_->interferences();
  for (std::size_t i = from; i < all.size(); ++i) {
    const DataEncoding::Interference& each = all[i];
    const auto reads_it = [&](const Edge& edge) { return edge.read == each.read && edge.cell == each.cell; };
    if (std::ranges::any_of(scenario, reads_it)) continue;
    if (from != 0 && step_of(each.read) != step_of(all[from - 1].read)) continue;
    Scenario more = scenario;
    more.insert({each.read, each.write, each.cell});
    const std::size_t degree = more.size();
    if (forest_[degree].contains(more)) continue;
    if (ask(only(more, true))) {
      forest_[degree].emplace(std::move(more), State{});
      plan = knowledge_.plan_of(encoding_->steps_up_to(each.read));
      return true;
    }
    if (degree < degree_ && extend(more, i + 1, plan)) return true;
  }
  return false;
}

// How many interferences can come at once.
std::size_t InterferenceForest::widest_step() const {
  std::map<Node, std::set<std::pair<Node, std::uint64_t>>> reads;  // by step
  std::size_t widest = 1;
  for (const DataEncoding::Interference& each : encoding_->interferences()) {
    std::set<std::pair<Node, std::uint64_t>>& own = reads[step_of(each.read)];
    own.emplace(each.read, each.cell);
    widest = std::max(widest, own.size());
  }
  return widest;
}

// False: no scenario of a higher degree can come from one that is known.
bool InterferenceForest::raise_degree() {
  const std::size_t widest = widest_step();
  std::size_t highest = degree_;
  while (forest_[highest].empty()) --highest;
  if (degree_ == degree_max_ || highest + widest <= degree_) return false;
  ++degree_;
  forest_.resize(degree_ + std::size_t{1});
  // These can be extended by several interferences now.
  for (std::size_t degree = degree_ - std::min<std::size_t>(widest, degree_); degree < degree_; ++degree) {
    for (auto& [scenario, state] : forest_[degree]) state.extended_at = 0;
  }
  return true;
}

// Whether something of that degree is left.
bool InterferenceForest::search_degree(std::uint32_t degree, Plan& plan) {
  const std::uint64_t known = knowledge_.changes();
  for (auto& [scenario, state] : forest_[degree]) {
    if (state.searched_at == known) continue;
    if (search(scenario, plan)) return true;
    state.searched_at = known;
  }
  if (degree >= degree_) return false;
  // What is found comes to the next degree.
  for (auto& [scenario, state] : forest_[degree]) {
    if (state.extended_at == known) continue;
    if (extend(scenario, 0, plan)) return true;
    state.extended_at = known;
  }
  return false;
}

bool InterferenceForest::next(Plan& plan) {
  plan = {};
  target_ = ThreadTrees::kNone;
  if (!begun_) {
    begun_ = true;
    forest_.resize(1);
    forest_[0].emplace();
    return true;
  }
  encoding_ = &knowledge_.encoding();
  if (not_covered_.empty()) not_covered_ = knowledge_.problem();
  while (not_covered_.empty()) {
    for (std::uint32_t degree = 0; degree <= degree_; ++degree) {
      if (search_degree(degree, plan)) return true;
    }
    if (!raise_degree()) return false;
  }
  return false;
}

void InterferenceForest::learn(const Plan&, const Trace& trace) {
  knowledge_.learn(trace);
  if (not_covered_.empty()) not_covered_ = knowledge_.problem();
  if (not_covered_.empty() && known_ == knowledge_.changes())
    not_covered_ = "an execution did not show what the solver said";
  known_.reset();
}

}  // namespace thrum
