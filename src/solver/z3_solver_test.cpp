// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver/z3_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "support/random.hpp"
#include "symbolic/conditions.hpp"
#include "symbolic/known_answers.hpp"
#include "symbolic/random_terms.hpp"
#include "symbolic/solved_conditions.hpp"
#include "symbolic/trials.hpp"

namespace thrum {
namespace {

using Answer = Solver::Answer;
using Literal = Solver::Literal;
constexpr Solver::Limit kLong{60};

std::string letter(std::uint32_t symbol) { return std::string(1, static_cast<char>('x' + symbol)); }

TEST(Z3Solver, FindsAnOrder) {
  Terms terms;
  Z3Solver solver(terms);
  const Solver::Step a = solver.make_step(), b = solver.make_step(), c = solver.make_step();
  solver.add({solver.before(b, a)});
  solver.add({solver.before(a, c)});
  ASSERT_EQ(solver.solve({}, kLong), Answer::satisfiable);
  EXPECT_LT(solver.place(b), solver.place(a));
  EXPECT_LT(solver.place(a), solver.place(c));
  const Literal other = solver.make_literal();
  const Literal circle = solver.before(c, b);
  EXPECT_EQ(solver.solve(std::vector{other, circle}, kLong), Answer::unsatisfiable);
  EXPECT_EQ(solver.core(), std::vector{circle});
  EXPECT_EQ(solver.solve(std::vector{other, -circle}, kLong), Answer::satisfiable) << "it is taken back";
}

TEST(Z3Solver, FindsAnInput) {
  Terms terms;
  const Term x = terms.symbol(0, 32);
  const Term more = terms.make(TermKind::add, x, terms.constant(1, 32));
  Z3Solver solver(terms);
  solver.add({solver.holds(terms.make(TermKind::signed_less, more, x))});
  ASSERT_EQ(solver.solve({}, kLong), Answer::satisfiable);
  EXPECT_TRUE(solver.value(0, 32) == 0x7fffffff) << "only there does it wrap around";
  solver.add({-solver.holds(terms.make(TermKind::equal, x, terms.constant(0x7fffffff, 32)))});
  EXPECT_EQ(solver.solve({}, kLong), Answer::unsatisfiable);
  EXPECT_TRUE(solver.core().empty());
}

TEST(Z3Solver, SaysThatItDoesNotKnow) {
  Terms terms;
  const Term x = terms.symbol(0, 128), y = terms.symbol(1, 128);
  const Term product = terms.make(TermKind::multiply, x, y);
  Z3Solver solver(terms);
  const auto is = [&](TermKind kind, Term a, Bits b) {
    return solver.holds(terms.make(kind, a, terms.constant(b, 128)));
  };
  const Bits prime = (Bits{1} << 89) - 1;
  solver.add({is(TermKind::equal, product, prime * ((Bits{1} << 31) - 1))});
  solver.add({is(TermKind::unsigned_less, x, prime)});
  solver.add({is(TermKind::unsigned_less, y, prime)});
  solver.add({-is(TermKind::unsigned_less, x, 2)});
  solver.add({-is(TermKind::unsigned_less, y, 2)});
  EXPECT_EQ(solver.solve({}, {0.05}), Answer::unknown) << solver.reason();
}

// A question that takes hours is over as soon as somebody wants that.
// Each is in a hole, and there is one hole too few: hard enough to take some work.
void add_pigeons(Solver& solver, std::size_t pigeons) {
  std::vector<std::vector<Literal>> in(pigeons);
  for (std::size_t i = 0; i < pigeons; ++i) {
    for (std::size_t hole = 0; hole + 1 < pigeons; ++hole) {
      in[i].push_back(solver.make_literal());
      for (std::size_t other = 0; other < i; ++other) solver.add({-in[i][hole], -in[other][hole]});
    }
    solver.add(in[i]);
  }
}

// The same question takes the same work, whatever the machine is at.
TEST(Z3Solver, EndsAfterSoMuchWork) {
  Terms terms;
  std::vector<std::uint64_t> work;
  for (int i = 0; i < 2; ++i) {
    Z3Solver solver(terms);
    add_pigeons(solver, 7);
    EXPECT_EQ(solver.solve({}, {.seconds = 60, .work = 1'000}), Answer::unknown);
    EXPECT_EQ(solver.solve({}, kLong), Answer::unsatisfiable) << "it goes on";
    EXPECT_GT(solver.work(), 1'000u);
    work.push_back(solver.work());
  }
  EXPECT_EQ(work[0], work[1]);
}

TEST(Z3Solver, CanBeInterrupted) {
  Terms terms;
  const Term x = terms.symbol(0, 128), y = terms.symbol(1, 128);
  const Term product = terms.make(TermKind::multiply, x, y);
  Z3Solver solver(terms);
  const auto is = [&](TermKind kind, Term a, Bits b) {
    return solver.holds(terms.make(kind, a, terms.constant(b, 128)));
  };
  const Bits prime = (Bits{1} << 89) - 1;
  solver.add({is(TermKind::equal, product, prime * ((Bits{1} << 31) - 1))});
  for (const Term factor : {x, y}) {
    solver.add({is(TermKind::unsigned_less, factor, prime)});
    solver.add({-is(TermKind::unsigned_less, factor, 2)});
  }
  Interrupt interrupt;
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    while (!is_over) interrupt.raise();
  });
  EXPECT_EQ(solver.solve({}, {36'000, &interrupt}), Answer::unknown);
  is_over = true;
  other.join();
}

struct Atom {
  int first, second;  // of steps; second -1: the literal of that number
  bool is_not;
};

// Clauses over orders of a few steps, and literals, against all orders and all values.
TEST(Z3Solver, AgreesWithTryingAll) {
  constexpr int kSteps = 4, kLiterals = 3;
  std::uint64_t satisfiable = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    Terms terms;
    Z3Solver solver(terms, 2, seed % 2 == 0 ? 3 : 5000);
    std::vector<Solver::Step> steps;
    std::vector<Literal> literals;
    for (int i = 0; i < kSteps; ++i) steps.push_back(solver.make_step());
    for (int i = 0; i < kLiterals; ++i) literals.push_back(solver.make_literal());
    const auto some_atom = [&] {
      const auto first = static_cast<int>(random.below(kSteps));
      const bool is_order = random.below(2) == 0;
      return Atom{is_order ? first : static_cast<int>(random.below(kLiterals)),
                  is_order ? (first + 1 + static_cast<int>(random.below(kSteps - 1))) % kSteps : -1,
                  random.below(2) == 0};
    };
    const auto literal_of = [&](const Atom& atom) {
      const Literal literal = atom.second < 0 ? literals[static_cast<std::size_t>(atom.first)]
                                              : solver.before(steps[static_cast<std::size_t>(atom.first)],
                                                              steps[static_cast<std::size_t>(atom.second)]);
      return atom.is_not ? -literal : literal;
    };
    std::vector<std::vector<Atom>> clauses;
    for (std::size_t i = 4 + random.below(12); i > 0; --i) {
      std::vector<Atom>& clause = clauses.emplace_back();
      std::vector<Literal> all;
      for (std::size_t k = 1 + random.below(3); k > 0; --k)
        all.push_back(literal_of(clause.emplace_back(some_atom())));
      solver.add(all);
    }
    std::vector<Atom> assumed;
    std::vector<Literal> assumptions;
    for (int i = 0; i < 3; ++i) assumptions.push_back(literal_of(assumed.emplace_back(some_atom())));
    // Steps may have one place.
    const auto is_possible = [&](std::span<const Atom> with) {
      for (int code = 0; code < 256 << kLiterals; ++code) {
        const auto holds = [&](const Atom& atom) {
          const auto place = [&](int step) { return code >> kLiterals >> 2 * step & 3; };
          const bool value =
              atom.second < 0 ? (code >> atom.first & 1) != 0 : place(atom.first) < place(atom.second);
          return value != atom.is_not;
        };
        const bool all_hold = std::ranges::all_of(
            clauses, [&](const auto& clause) { return std::ranges::any_of(clause, holds); });
        if (all_hold && std::ranges::all_of(with, holds)) return true;
      }
      return false;
    };
    const Answer answer = solver.solve(assumptions, kLong);
    ASSERT_EQ(answer, is_possible(assumed) ? Answer::satisfiable : Answer::unsatisfiable) << "seed " << seed;
    satisfiable += answer == Answer::satisfiable ? 1 : 0;
    if (answer == Answer::unsatisfiable) {
      std::vector<Atom> core;
      for (const Literal literal : solver.core()) {
        const auto at = std::ranges::find(assumptions, literal) - assumptions.begin();
        core.push_back(assumed[static_cast<std::size_t>(at)]);
      }
      EXPECT_FALSE(is_possible(core)) << "seed " << seed;
    } else {
      for (std::size_t i = 0; i < assumptions.size(); ++i) EXPECT_TRUE(solver.is_true(assumptions[i]));
    }
  }
  EXPECT_GT(satisfiable, 60u);
  EXPECT_LT(satisfiable, 240u);
}

// A model's values are those of the terms, for both of them; and no values tell them apart.
TEST(Z3Solver, ProvesTheRewritingRules) {
  std::uint64_t proved = 0, unknown = 0;
  for (std::uint64_t seed = 1; seed <= 30 && !testing::Test::HasFailure(); ++seed) {
    RandomTerms pair(seed);
    for (int i = 0; i < 12; ++i) pair.grow();
    Z3Solver solver(pair.plain());
    Terms both(Terms::Rewriting::off);
    Z3Solver prover(both);
    std::vector<Term> of_plain, of_rewritten;
    const auto copied = [&](const Terms& from, std::vector<Term>& known) {
      for (Term term = static_cast<Term>(known.size()); term < from.size(); ++term) {
        Terms::Node node = from[term];
        if (node.kind == TermKind::constant) {
          known.push_back(both.constant(from.value(term), node.width));
          continue;
        }
        for (int i = 0; i < row_of(node.kind).operands; ++i) {
          Term& operand = node.operands[static_cast<std::size_t>(i)];
          operand = known[operand];
        }
        known.push_back(both.term_of(node));
      }
    };
    copied(pair.plain(), of_plain);
    copied(pair.rewritten(), of_rewritten);
    for (const RandomTerms::Pair& each : pair.pairs()) {
      const Term same = both.make(TermKind::equal, of_plain[each.plain], of_rewritten[each.rewritten]);
      const Literal differ = -prover.holds(same);
      const Answer answer = prover.solve(std::vector{differ}, {0.5});
      EXPECT_NE(answer, Answer::satisfiable) << to_text(pair.plain(), each.plain, letter) << "\n"
                                             << to_text(pair.rewritten(), each.rewritten, letter);
      ++(answer == Answer::unknown ? unknown : proved);
    }
    // And what a condition's model says is so.
    for (const RandomTerms::Pair& each : pair.pairs()) {
      if (pair.plain().width(each.plain) != 1) continue;
      if (solver.solve(std::vector{solver.holds(each.plain)}, {0.5}) != Answer::satisfiable) continue;
      std::vector<Bits> symbols;
      for (Term term = 0; term < pair.plain().size(); ++term) {
        const Terms::Node& node = pair.plain()[term];
        if (node.kind != TermKind::symbol) continue;
        symbols.resize(std::max<std::size_t>(symbols.size(), node.operands[0] + std::size_t{1}));
        symbols[node.operands[0]] = solver.value(node.operands[0], node.width);
      }
      EXPECT_TRUE(TermValues(pair.plain(), symbols).of(each.plain) == 1)
          << to_text(pair.plain(), each.plain, letter);
    }
  }
  EXPECT_GT(proved, 20 * unknown);
  std::cout << proved << " proved, " << unknown << " not decided\n";
}

// The whole chain, against all values of two small symbols.
TEST(Conditions, AgreeWithTryingAll) {
  constexpr unsigned kWidth = 4;
  std::uint64_t asked = 0, satisfiable = 0, by_solver = 0;
  for (std::uint64_t seed = 1; seed <= 40 && !testing::Test::HasFailure(); ++seed) {
    Random random(seed);
    Terms terms;
    Z3Solver solver(terms);
    SolvedConditions solved(terms, solver, kLong);
    Trials trials(terms, solved);
    KnownAnswers known(terms, trials);
    CheckedConditions checked(terms, known);
    ConstantConditions chain(terms, checked);
    std::vector<Term> all = {terms.symbol(0, kWidth), terms.symbol(1, kWidth)};
    for (int i = 0; i < 12; ++i) {
      const auto some = [&] { return all[random.below(all.size())]; };
      const auto kind = static_cast<TermKind>(static_cast<std::uint64_t>(TermKind::add) + random.below(12));
      const Term other = random.below(3) == 0 ? terms.constant(random.below(16), kWidth) : some();
      all.push_back(terms.make(kind, some(), other));
    }
    for (int question = 0; question < 15; ++question) {
      std::vector<Term> conditions;
      for (std::uint64_t i = 1 + random.below(3); i > 0; --i) {
        const Term left = all[random.below(all.size())], right = all[random.below(all.size())];
        const Term constant = terms.constant(random.below(16), kWidth);
        const Term condition = random.below(2) == 0 ? terms.make(TermKind::equal, left, constant)
                                                    : terms.make(TermKind::signed_less, left, right);
        conditions.push_back(random.below(4) == 0 ? terms.bit_not(condition) : condition);
      }
      const auto can_hold = [&](std::span<const Term> some) {
        for (Bits values = 0; values < 256; ++values) {
          if (all_hold(terms, some, std::vector<Bits>{values & 15, values >> 4})) return true;
        }
        return false;
      };
      const ConditionAnswer answer = chain.ask(conditions);
      ASSERT_EQ(answer.answer, can_hold(conditions) ? Answer::satisfiable : Answer::unsatisfiable);
      if (answer.answer == Answer::unsatisfiable) {
        EXPECT_FALSE(can_hold(answer.core));
      }
      ++asked;
      satisfiable += answer.answer == Answer::satisfiable ? 1 : 0;
    }
    EXPECT_EQ(checked.wrong(), 0u);
    by_solver += solved.questions();
  }
  EXPECT_GT(satisfiable, asked / 5);
  EXPECT_LT(satisfiable, asked - asked / 5);
  EXPECT_LT(by_solver, asked / 2);
}

}  // namespace
}  // namespace thrum
