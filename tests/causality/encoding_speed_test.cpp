// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast trees become clauses, and how their number grows with the accesses.
//
//   THRUM_CAUSALITY_ENCODING  programs in which each of four threads adds up to twice so often; 20 takes half
//                             a minute. By default 5: then it is checked only how the number of clauses grows
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>

#include "causality/data_encoding.hpp"
#include "causality/tree_knowledge.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {
namespace {

constexpr int kThreadsOfEach = 4;

// Takes clauses and throws them away: what the encoding costs by itself.
class NoSolver final : public Solver {
 public:
  Literal make_literal() override { return ++literals_; }
  Step make_step() override { return ++steps_; }
  Literal before(Step, Step) override { return ++literals_; }
  Literal holds(Term) override { return ++literals_; }
  void add(std::span<const Literal>) override {}
  Answer solve(std::span<const Literal>, Limit) override { return Answer::unknown; }
  bool is_true(Literal) override { return false; }
  std::int64_t place(Step) override { return 0; }
  Bits value(std::uint32_t, unsigned) override { return {}; }
  const std::vector<Literal>& core() override { return core_; }

 private:
  Literal literals_ = 0;
  Step steps_ = 0;
  std::vector<Literal> core_;
};

// Four threads that add to variables: all to one, or each to one of three in turn.
ToyCode additions(int of_each, int variables) {
  std::string text = "thread t0\n";
  for (int i = 1; i <= kThreadsOfEach; ++i) text += "  create t" + std::to_string(i) + "\n";
  for (int i = 1; i <= kThreadsOfEach; ++i) {
    text += "thread t" + std::to_string(i) + "\n";
    for (int k = 0; k < of_each; ++k) text += "  add x" + std::to_string(k % variables) + " r0 1\n";
  }
  return parse(text).value();
}

struct Encoded {
  double expected = 0;
  std::uint64_t clauses = 0;
  double seconds = 0;
};

Encoded encode(const ToyCode& code, const MakeSolver& make_solver, double at_once) {
  ToyProgram program(code);
  Terms terms;
  TreeKnowledge knowledge(Deciding::values, terms, make_solver, nullptr, at_once);
  Trace trace;
  program.run({}, nullptr, {Wanted::kChoices | Wanted::kEvents | Wanted::kAccesses, Wanted::From::start, 0},
              trace);
  knowledge.learn(trace);
  const auto begin = std::chrono::steady_clock::now();
  knowledge.encoding();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return {expected_clauses(knowledge.trees(), at_once), knowledge.clauses(), taken.count()};
}

// All clauses at once; and without those that are added when a model needs them.
TEST(EncodingSpeed, GrowsWithTheCubeOfTheAccessesToOneCell) {
  constexpr double kAll = 1e300;
  const std::uint64_t largest = setting("THRUM_CAUSALITY_ENCODING", 5);
  for (const int variables : {1, 3}) {
    Encoded smaller;
    Encoded fewer;
    for (std::uint64_t of_each = 5; of_each <= largest * 2; of_each *= 2) {
      const ToyCode code = additions(static_cast<int>(of_each), variables);
      const MakeSolver make_none = [](const Terms&) { return std::make_unique<NoSolver>(); };
      const MakeSolver make_z3 = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); };
      const Encoded own = encode(code, make_none, kAll);
      const Encoded all = encode(code, make_z3, kAll);
      const Encoded few = encode(code, make_none, 0);
      EXPECT_EQ(own.clauses, all.clauses);
      EXPECT_GT(all.clauses, all.expected / 20);
      EXPECT_LT(all.clauses, all.expected * 5 + 1'000);
      const double exponent = std::log2(static_cast<double>(all.clauses) /
                                        std::max<double>(1, static_cast<double>(smaller.clauses)));
      std::cout << kThreadsOfEach * of_each << " additions to " << variables << " variables: " << all.clauses
                << " clauses (" << static_cast<double>(all.clauses) / all.expected
                << " of what is expected), " << static_cast<double>(all.clauses) / all.seconds / 1e6
                << " million a second, " << static_cast<double>(own.clauses) / own.seconds / 1e6
                << " without Z3; " << few.clauses << " without those between";
      if (smaller.clauses != 0) {
        std::cout << "; exponent " << exponent;
        EXPECT_GT(exponent, 1.5);
        EXPECT_LT(exponent, 3.5);
      }
      if (fewer.clauses != 0) {
        EXPECT_LT(std::log2(static_cast<double>(few.clauses) / static_cast<double>(fewer.clauses)), 2.2);
      }
      std::cout << std::endl;
      smaller = all;
      fewer = few;
    }
  }
}

}  // namespace
}  // namespace thrum
