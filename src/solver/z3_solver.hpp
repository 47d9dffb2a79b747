// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Z3 as a Solver. Orders are integers, conditions are bit vectors. Behind an interrupt it should not be asked
// any more: Z3 does not promise that its state is as it was.
//
// Tested by z3_solver_test.cpp.
#pragma once

#include <z3++.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbolic/solver.hpp"

namespace thrum {

class Z3Solver final : public Solver {
 public:
  // The terms must outlive it. arithmetic: Z3's smt.arith.solver, for orders. 2 is robust; 3 is as fast on
  // small queries, and gives up on some larger ones. Z3 is made to take in clauses each time that
  // taken_in_at_once were added.
  explicit Z3Solver(const Terms& terms, unsigned arithmetic = 2, std::uint32_t taken_in_at_once = 5000);

  Literal make_literal() override;
  Step make_step() override;
  Literal before(Step first, Step second) override;
  Literal holds(Term condition) override;
  using Solver::add;
  void add(std::span<const Literal> clause) override;
  Answer solve(std::span<const Literal> assumptions, Limit limit) override;
  bool is_true(Literal literal) override;
  std::int64_t place(Step step) override;
  Bits value(std::uint32_t symbol, unsigned width) override;
  const std::vector<Literal>& core() override { return core_; }
  bool lacked_memory() const override { return solver_.reason_unknown() == "memout"; }
  std::uint64_t work() const override { return work_; }
  std::uint64_t bytes() const override { return Z3_get_estimated_alloc_size(); }

  // Why the last answer is unknown.
  std::string reason() const { return solver_.reason_unknown(); }

 private:
  Literal literal_of(const z3::expr& truth);
  z3::expr truth_of(Literal literal) const;
  z3::expr assumption_of(Literal literal);
  void note_work();
  void take_in();
  z3::check_result check(const z3::expr_vector& assumed, Interrupt* interrupt);
  z3::expr expression_of(Term term);
  z3::expr make_expression(const Terms::Node& node, const z3::expr_vector& operands);
  z3::expr symbol(std::uint32_t number, unsigned width);

  const Terms& terms_;
  const std::uint32_t taken_in_at_once_;
  z3::context context_;
  z3::solver solver_;
  std::vector<z3::expr> literals_;  // by number, from 1
  std::vector<z3::expr> steps_;
  std::map<std::pair<Step, Step>, Literal> orders_;
  std::unordered_map<Term, z3::expr> expressions_;
  std::unordered_map<Term, Literal> conditions_;
  std::map<std::pair<std::uint32_t, unsigned>, z3::expr> symbols_;
  std::unordered_map<Literal, z3::expr> assumed_;  // a constant that implies it
  std::optional<z3::model> model_;
  std::vector<Literal> core_;
  std::uint64_t work_ = 0;
  std::uint32_t not_taken_in_ = 0;  // clauses that were added since
};

}  // namespace thrum
