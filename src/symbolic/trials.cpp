// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "symbolic/trials.hpp"

#include <utility>
#include <vector>

namespace thrum {

namespace {

struct Tried {
  std::vector<std::pair<std::uint32_t, unsigned>> symbols;  // number and width
  std::vector<Bits> values = {0, 1, ~Bits{0}};
};

Tried tried_of(const Terms& terms, std::span<const Term> conditions) {
  Tried tried;
  for (const Term term : parts_of(terms, conditions)) {
    const Terms::Node& node = terms[term];
    if (node.kind == TermKind::symbol) tried.symbols.emplace_back(node.operands[0], node.width);
    if (node.kind != TermKind::constant) continue;
    const Bits value = terms.value(term);
    for (const Bits near : {value - 1, value, value + 1, 0 - value}) tried.values.push_back(near);
  }
  return tried;
}

}  // namespace

ConditionAnswer Trials::ask(std::span<const Term> conditions) {
  const Tried tried = tried_of(terms_, conditions);
  std::vector<Bits> symbols;
  for (int trial = 0; trial < kTrials && !tried.symbols.empty(); ++trial) {
    for (const auto& [number, width] : tried.symbols) {
      if (symbols.size() <= number) symbols.resize(number + std::size_t{1});
      // First each value for all of them, then any.
      const auto in_turn = static_cast<std::size_t>(trial);
      const Bits value = in_turn < tried.values.size() ? tried.values[in_turn]
                         : random_.below(8) == 0       ? Bits{random_.next()}
                                                       : tried.values[random_.below(tried.values.size())];
      symbols[number] = value & bits_up_to(width);
    }
    if (!all_hold(terms_, conditions, symbols)) continue;
    ++hits_;
    return {Solver::Answer::satisfiable, symbols};
  }
  return next_.ask(conditions);
}

}  // namespace thrum
