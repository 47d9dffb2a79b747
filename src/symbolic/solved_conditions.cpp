// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "symbolic/solved_conditions.hpp"

#include <algorithm>
#include <vector>

namespace thrum {

ConditionAnswer SolvedConditions::ask(std::span<const Term> conditions) {
  ++questions_;
  std::vector<Solver::Literal> literals;
  for (const Term condition : conditions) literals.push_back(solver_.holds(condition));
  ConditionAnswer answer{solver_.solve(literals, limit_)};
  if (answer.answer == Solver::Answer::unsatisfiable) {
    for (std::size_t i = 0; i < literals.size(); ++i) {
      if (std::ranges::find(solver_.core(), literals[i]) != solver_.core().end())
        answer.core.push_back(conditions[i]);
    }
  }
  if (answer.answer != Solver::Answer::satisfiable) return answer;
  for (const Term term : parts_of(terms_, conditions)) {
    const Terms::Node& node = terms_[term];
    if (node.kind != TermKind::symbol) continue;
    const std::uint32_t number = node.operands[0];
    if (answer.symbols.size() <= number) answer.symbols.resize(number + std::size_t{1});
    answer.symbols[number] = solver_.value(number, node.width);
  }
  return answer;
}

}  // namespace thrum
