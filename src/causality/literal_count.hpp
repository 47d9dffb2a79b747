// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many of some literals are true, as clauses (the sequential counter of Sinz, Towards an optimal CNF
// encoding of boolean cardinality constraints, CP 2005). Literals and bounds may come at any time.
//
// Example: LiteralCount count(solver); count.add(a); count.add(b); solver.solve({count.at_most(1)}, limit)
//
// Tested by tests/causality/literal_count_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "symbolic/solver.hpp"

namespace thrum {

class LiteralCount {
 public:
  using Literal = Solver::Literal;

  // It must outlive it.
  explicit LiteralCount(Solver& solver) : solver_(solver) {}

  void add(Literal literal);
  // Where it is assumed, no more of those that were added are true.
  Literal at_most(std::size_t most);

 private:
  struct Row {
    Literal literal = 0;
    std::vector<Literal> more_than{};  // by number: of the literals up to this one, more are true
  };

  void widen(std::size_t row);

  Solver& solver_;
  std::size_t width_ = 0;
  std::vector<Row> rows_;
};

}  // namespace thrum
