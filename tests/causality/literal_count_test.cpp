// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/literal_count.hpp"

#include <gtest/gtest.h>

#include "solver/z3_solver.hpp"

namespace thrum {
namespace {

using Literal = Solver::Literal;

// All numbers of true literals under all bounds, where literals and bounds come in turns.
TEST(LiteralCount, BoundsHowManyAreTrue) {
  const Terms terms;
  Z3Solver solver(terms);
  LiteralCount count(solver);
  std::vector<Literal> literals;
  EXPECT_EQ(solver.solve(std::vector{count.at_most(0)}, {}), Solver::Answer::satisfiable);
  for (std::size_t size = 1; size <= 5; ++size) {
    literals.push_back(solver.make_literal());
    count.add(literals.back());
    for (std::size_t bound = 0; bound <= size + 1; ++bound) {
      for (unsigned bits = 0; bits < 1U << size; ++bits) {
        std::vector<Literal> assumptions = {count.at_most(bound)};
        std::size_t number = 0;
        for (std::size_t i = 0; i < size; ++i) {
          const bool is_true = (bits >> i & 1) != 0;
          number += is_true ? 1 : 0;
          assumptions.push_back(is_true ? literals[i] : -literals[i]);
        }
        const Solver::Answer answer = solver.solve(assumptions, {});
        EXPECT_EQ(answer == Solver::Answer::satisfiable, number <= bound) << number << " of " << size;
      }
    }
  }
}

}  // namespace
}  // namespace thrum
