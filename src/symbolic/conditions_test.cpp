// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "symbolic/conditions.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "symbolic/known_answers.hpp"
#include "symbolic/trials.hpp"

namespace thrum {
namespace {

using Answer = Solver::Answer;

// Gives the answer that it is told to, and counts.
class Told final : public Conditions {
 public:
  ConditionAnswer ask(std::span<const Term> conditions) override {
    ++asked;
    last.assign(conditions.begin(), conditions.end());
    return answer;
  }

  ConditionAnswer answer;
  int asked = 0;
  std::vector<Term> last;
};

class ConditionsTest : public testing::Test {
 protected:
  Term equals(Term a, Bits value) {
    return terms.make(TermKind::equal, a, terms.constant(value, terms.width(a)));
  }
  Term less(Term a, Bits value) {
    return terms.make(TermKind::unsigned_less, a, terms.constant(value, terms.width(a)));
  }

  Terms terms;
  Term x = terms.symbol(0, 32);
  Term y = terms.symbol(1, 32);
  Told told;
};

TEST_F(ConditionsTest, ConstantsAreAnsweredAtOnce) {
  ConstantConditions constants(terms, told);
  EXPECT_EQ(constants.ask({}).answer, Answer::satisfiable);
  const std::vector<Term> never = {less(x, 7), terms.truth(false)};
  EXPECT_EQ(constants.ask(never).answer, Answer::unsatisfiable);
  EXPECT_EQ(constants.ask(never).core, std::vector{terms.truth(false)});
  EXPECT_EQ(told.asked, 0);
  const std::vector<Term> open = {terms.truth(true), less(x, 7)};
  EXPECT_EQ(constants.ask(open).answer, Answer::unknown);
  EXPECT_EQ(told.last, std::vector{less(x, 7)});
}

TEST_F(ConditionsTest, AModelThatIsNoneIsNotUsed) {
  CheckedConditions checked(terms, told);
  told.answer = {Answer::satisfiable, {5}, {}};
  EXPECT_EQ(checked.ask(std::vector{less(x, 7)}).answer, Answer::satisfiable);
  EXPECT_EQ(checked.ask(std::vector{less(x, 5)}).answer, Answer::unknown);
  EXPECT_EQ(checked.wrong(), 1u);
}

TEST_F(ConditionsTest, ModelsAndCoresAreRemembered) {
  KnownAnswers known(terms, told);
  told.answer = {Answer::satisfiable, {5, 6}, {}};
  EXPECT_EQ(known.ask(std::vector{less(x, 7)}).answer, Answer::satisfiable);
  EXPECT_EQ(known.ask(std::vector{less(x, 6), equals(y, 6)}).answer, Answer::satisfiable);
  EXPECT_EQ(told.asked, 1);
  told.answer = {Answer::unsatisfiable, {}, {equals(x, 9), less(x, 7)}};
  EXPECT_EQ(known.ask(std::vector{equals(y, 8), equals(x, 9), less(x, 7)}).answer, Answer::unsatisfiable);
  const ConditionAnswer again = known.ask(std::vector{less(x, 7), equals(y, 3), equals(x, 9)});
  EXPECT_EQ(again.answer, Answer::unsatisfiable);
  EXPECT_EQ(again.core.size(), 2u);
  EXPECT_EQ(told.asked, 2);
  told.answer = {};
  EXPECT_EQ(known.ask(std::vector{equals(x, 9)}).answer, Answer::unknown) << "not all of the core";
}

TEST_F(ConditionsTest, ValuesAreTried) {
  Trials trials(terms, told);
  const Term sum = terms.make(TermKind::add, x, y);
  const ConditionAnswer answer = trials.ask(std::vector{equals(x, 1000), less(y, 3), equals(sum, 1001)});
  EXPECT_EQ(answer.answer, Answer::satisfiable);
  EXPECT_TRUE(answer.symbols[0] == 1000 && answer.symbols[1] == 1);
  EXPECT_EQ(trials.hits(), 1u);
  EXPECT_EQ(trials.ask(std::vector{equals(terms.make(TermKind::multiply, x, x), 0x3b9aca01)}).answer,
            Answer::unknown);
}

}  // namespace
}  // namespace thrum
