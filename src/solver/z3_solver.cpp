// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver/z3_solver.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>

#include "support/check.hpp"

namespace thrum {

namespace {

Bits number(const std::string& text) {
  Bits value = 0;
  for (const char digit : text) value = value * 10 + static_cast<Bits>(digit - '0');
  return value;
}

// Of all solvers of the process. Z3 counts no further than 4 GiB.
void limit_memory(std::uint64_t bytes) {
  static std::atomic<std::uint64_t> known = 0;
  if (bytes > UINT32_MAX) bytes = 0;
  if (known.exchange(bytes) != bytes) z3::set_param("memory_high_watermark", std::to_string(bytes).c_str());
}

// Of one bit.
z3::expr bit_of(const z3::expr& truth) {
  z3::context& context = truth.ctx();
  return z3::ite(truth, context.bv_val(1, 1), context.bv_val(0, 1));
}

}  // namespace

Z3Solver::Z3Solver(const Terms& terms, unsigned arithmetic, std::uint32_t taken_in_at_once)
    : terms_(terms), taken_in_at_once_(taken_in_at_once), solver_(context_, z3::solver::simple()) {
  z3::params parameters(context_);
  parameters.set("arith.solver", arithmetic);
  // Else it takes SIGINT for itself while it is at work.
  parameters.set("ctrl_c", false);
  solver_.set(parameters);
  literals_.push_back(context_.bool_val(true));  // 0 is no literal
}

Z3Solver::Literal Z3Solver::literal_of(const z3::expr& truth) {
  literals_.push_back(truth);
  return static_cast<Literal>(literals_.size() - 1);
}

z3::expr Z3Solver::truth_of(Literal literal) const {
  THRUM_CHECK(literal != 0);
  const z3::expr& truth = literals_[static_cast<std::size_t>(std::abs(literal))];
  return literal > 0 ? truth : !truth;
}

Z3Solver::Literal Z3Solver::make_literal() {
  return literal_of(context_.bool_const(("p" + std::to_string(literals_.size())).c_str()));
}

Z3Solver::Step Z3Solver::make_step() {
  steps_.push_back(context_.int_const(("o" + std::to_string(steps_.size())).c_str()));
  return static_cast<Step>(steps_.size() - 1);
}

Z3Solver::Literal Z3Solver::before(Step first, Step second) {
  const auto [known, is_new] = orders_.try_emplace({first, second}, 0);
  if (is_new) known->second = literal_of(steps_[first] < steps_[second]);
  return known->second;
}

Z3Solver::Literal Z3Solver::holds(Term condition) {
  THRUM_CHECK(terms_.width(condition) == 1);
  const auto [known, is_new] = conditions_.try_emplace(condition, 0);
  if (is_new) known->second = literal_of(expression_of(condition) == context_.bv_val(1, 1));
  return known->second;
}

void Z3Solver::add(std::span<const Literal> clause) {
  z3::expr_vector truths(context_);
  for (const Literal literal : clause) truths.push_back(truth_of(literal));
  solver_.add(z3::mk_or(truths));
  if (++not_taken_in_ >= taken_in_at_once_) take_in();
}

// Z3 does so when it is asked, or pushed. Its time for that grows faster than what there is to take in, and
// it notices no interrupt meanwhile: a million and a half clauses at once took more than two minutes, and
// take 20 seconds by 5,000.
void Z3Solver::take_in() {
  solver_.push();
  solver_.pop();
  not_taken_in_ = 0;
}

// Z3 takes constants only, and names these in a core.
z3::expr Z3Solver::assumption_of(Literal literal) {
  const auto known = assumed_.find(literal);
  if (known != assumed_.end()) return known->second;
  const z3::expr constant = context_.bool_const(("a" + std::to_string(assumed_.size())).c_str());
  solver_.add(z3::implies(constant, truth_of(literal)));
  assumed_.emplace(literal, constant);
  return constant;
}

Z3Solver::Answer Z3Solver::solve(std::span<const Literal> assumptions, Limit limit) {
  z3::params parameters(context_);
  parameters.set("timeout", static_cast<unsigned>(std::max(1.0, std::ceil(limit.seconds * 1000))));
  parameters.set("rlimit", limit.work);
  solver_.set(parameters);
  z3::expr_vector assumed(context_);
  for (const Literal literal : assumptions) assumed.push_back(assumption_of(literal));
  limit_memory(limit.bytes);
  model_.reset();
  core_.clear();
  const z3::check_result result = check(assumed, limit.interrupt);
  note_work();
  if (result == z3::unknown) return Answer::unknown;
  if (result == z3::sat) {
    model_.emplace(solver_.get_model());
    return Answer::satisfiable;
  }
  const z3::expr_vector core = solver_.unsat_core();
  for (const Literal literal : assumptions) {
    const unsigned id = assumption_of(literal).id();
    for (unsigned i = 0; i < core.size(); ++i) {
      if (core[static_cast<int>(i)].id() != id) continue;
      core_.push_back(literal);
      break;
    }
  }
  return Answer::unsatisfiable;
}

// Z3 counts what its context has done, to add clauses and to simplify them too.
void Z3Solver::note_work() {
  const z3::stats counts = solver_.statistics();
  for (unsigned i = 0; i < counts.size(); ++i) {
    if (counts.key(i) != "rlimit count") continue;
    const std::uint32_t now = counts.uint_value(i);
    work_ += now - static_cast<std::uint32_t>(work_);  // it begins again from 0 now and then
  }
}

z3::check_result Z3Solver::check(const z3::expr_vector& assumed, Interrupt* interrupt) {
  const Interrupt::During during(interrupt, [this] { context_.interrupt(); });
  if (interrupt != nullptr && interrupt->is_raised()) return z3::unknown;
  try {
    return solver_.check(assumed);
  } catch (const z3::exception&) {
    if (interrupt == nullptr || !interrupt->is_raised()) throw;
    return z3::unknown;
  }
}

bool Z3Solver::is_true(Literal literal) { return model_->eval(truth_of(literal), true).is_true(); }

std::int64_t Z3Solver::place(Step step) { return model_->eval(steps_[step], true).get_numeral_int64(); }

Bits Z3Solver::value(std::uint32_t number_of_symbol, unsigned width) {
  return number(model_->eval(symbol(number_of_symbol, width), true).get_decimal_string(0));
}

z3::expr Z3Solver::symbol(std::uint32_t number_of_symbol, unsigned width) {
  const auto known = symbols_.find({number_of_symbol, width});
  if (known != symbols_.end()) return known->second;
  const std::string name = "s" + std::to_string(number_of_symbol) + "_" + std::to_string(width);
  return symbols_.emplace(std::pair(number_of_symbol, width), context_.bv_const(name.c_str(), width))
      .first->second;
}

z3::expr Z3Solver::expression_of(Term term) {
  std::vector<Term> rest = {term};
  while (!rest.empty()) {
    const Term each = rest.back();
    const Terms::Node& node = terms_[each];
    z3::expr_vector operands(context_);
    bool is_ready = true;
    for (int i = 0; i < row_of(node.kind).operands; ++i) {
      const auto known = expressions_.find(node.operands[static_cast<std::size_t>(i)]);
      if (known != expressions_.end()) {
        operands.push_back(known->second);
      } else {
        is_ready = false;
        rest.push_back(node.operands[static_cast<std::size_t>(i)]);
      }
    }
    if (!is_ready) continue;
    rest.pop_back();
    if (expressions_.contains(each)) continue;
    const z3::expr expression = node.kind == TermKind::constant
                                    ? context_.bv_val(decimal(terms_.value(each)).c_str(), node.width)
                                    : make_expression(node, operands);
    expressions_.emplace(each, expression);
  }
  return expressions_.at(term);
}

z3::expr Z3Solver::make_expression(const Terms::Node& node, const z3::expr_vector& operands) {
  if (node.kind == TermKind::symbol) return symbol(node.operands[0], node.width);
  const z3::expr a = operands[0];
  const z3::expr b = operands.size() > 1 ? operands[1] : a;
  switch (node.kind) {
    case TermKind::add: return a + b;
    case TermKind::multiply: return a * b;
    case TermKind::bit_and: return a & b;
    case TermKind::bit_or: return a | b;
    case TermKind::bit_xor: return a ^ b;
    case TermKind::subtract: return a - b;
    case TermKind::unsigned_divide: return z3::udiv(a, b);
    case TermKind::signed_divide: return a / b;
    case TermKind::unsigned_remainder: return z3::urem(a, b);
    case TermKind::signed_remainder: return z3::srem(a, b);
    case TermKind::shift_left: return z3::shl(a, b);
    case TermKind::shift_right: return z3::lshr(a, b);
    case TermKind::shift_right_signed: return z3::ashr(a, b);
    case TermKind::concat: return z3::concat(a, b);
    case TermKind::extract: return a.extract(node.low + node.width - 1u, node.low);
    case TermKind::zero_extend: return z3::zext(a, node.width - a.get_sort().bv_size());
    case TermKind::sign_extend: return z3::sext(a, node.width - a.get_sort().bv_size());
    case TermKind::if_then_else: return z3::ite(a == context_.bv_val(1, 1), b, operands[2]);
    case TermKind::equal: return bit_of(a == b);
    case TermKind::unsigned_less: return bit_of(z3::ult(a, b));
    case TermKind::unsigned_at_most: return bit_of(z3::ule(a, b));
    case TermKind::signed_less: return bit_of(a < b);
    case TermKind::signed_at_most: return bit_of(a <= b);
    case TermKind::constant:
    case TermKind::symbol: break;
  }
  THRUM_CHECK(false);
  return a;
}

}  // namespace thrum
