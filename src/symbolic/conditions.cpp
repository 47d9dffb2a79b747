// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "symbolic/conditions.hpp"

#include <algorithm>

namespace thrum {

bool all_hold(const Terms& terms, std::span<const Term> conditions, std::span<const Bits> symbols) {
  TermValues values(terms, symbols);
  return std::ranges::all_of(conditions, [&](Term condition) { return values.of(condition) != 0; });
}

ConditionAnswer ConstantConditions::ask(std::span<const Term> conditions) {
  std::vector<Term> open;
  for (const Term condition : conditions) {
    if (terms_.is_value(condition, 0)) return {Solver::Answer::unsatisfiable, {}, {condition}};
    if (!terms_.is_constant(condition)) open.push_back(condition);
  }
  if (open.empty()) return {Solver::Answer::satisfiable};
  return next_.ask(open);
}

ConditionAnswer CheckedConditions::ask(std::span<const Term> conditions) {
  ConditionAnswer answer = next_.ask(conditions);
  const bool is_model = answer.answer == Solver::Answer::satisfiable;
  if (!is_model || all_hold(terms_, conditions, answer.symbols)) return answer;
  ++wrong_;
  return {};
}

}  // namespace thrum
