// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "symbolic/known_answers.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

const std::vector<Term>* KnownAnswers::core_within(std::span<const Term> sorted) const {
  for (const Term condition : sorted) {
    const auto cores = cores_of_.find(condition);
    if (cores == cores_of_.end()) continue;
    for (const std::uint32_t core : cores->second) {
      if (std::ranges::includes(sorted, cores_[core])) return &cores_[core];
    }
  }
  return nullptr;
}

ConditionAnswer KnownAnswers::ask(std::span<const Term> conditions) {
  std::vector<Term> sorted(conditions.begin(), conditions.end());
  std::ranges::sort(sorted);
  if (const std::vector<Term>* core = core_within(sorted)) {
    ++by_cores_;
    return {Solver::Answer::unsatisfiable, {}, *core};
  }
  for (const std::vector<Bits>& model : models_) {
    if (!all_hold(terms_, conditions, model)) continue;
    ++by_models_;
    return {Solver::Answer::satisfiable, model};
  }
  ConditionAnswer answer = next_.ask(conditions);
  if (answer.answer == Solver::Answer::satisfiable) learn_model(answer.symbols);
  if (answer.answer == Solver::Answer::unsatisfiable) learn_core(answer.core);
  return answer;
}

void KnownAnswers::learn_model(std::vector<Bits> symbols) {
  models_.push_front(std::move(symbols));
  if (models_.size() > kModels) models_.pop_back();
}

void KnownAnswers::learn_core(std::vector<Term> conditions) {
  if (conditions.empty()) return;
  std::ranges::sort(conditions);
  if (core_within(conditions) != nullptr) return;
  cores_of_[conditions.front()].push_back(static_cast<std::uint32_t>(cores_.size()));
  cores_.push_back(std::move(conditions));
}

}  // namespace thrum
