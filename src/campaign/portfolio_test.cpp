// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/portfolio.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thrum {
namespace {

// Gives a number of plans, and makes the claims that it is given.
class Counted final : public Strategy, public Reporting {
 public:
  Counted(std::uint64_t plans, Guarantee at_its_end, std::string problem = "")
      : left_(plans), at_its_end_(std::move(at_its_end)), problem_(std::move(problem)) {}

  bool next(Plan&) override {
    if (left_ == 0) return false;
    --left_;
    ++planned;
    next_costs = 0;
    return true;
  }
  std::string problem() const override { return left_ <= problem_from ? problem_ : ""; }
  void learn(const Plan&, const Trace&) override {}
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override { return left_ == 0 && problem_.empty() ? at_its_end_ : Guarantee{}; }
  SearchStatistics statistics() const override { return {.nodes = nodes}; }
  std::optional<double> estimate() const override { return done; }
  Effort effort() const override { return {planned * each, next_costs, to_come}; }

  std::uint64_t nodes = 0;
  std::uint64_t problem_from = 0;  // plans that are left when it has its problem
  std::optional<double> done;
  std::uint64_t planned = 0;
  // Of the effort, in executions.
  std::uint64_t each = 0;        // that a plan took
  std::uint64_t next_costs = 0;  // until there is a next one
  std::optional<double> to_come;

 private:
  std::uint64_t left_;
  Guarantee at_its_end_;
  std::string problem_;
};

Guarantee complete() { return {.complete = true, .exhausted = true, .bounds = {}, .chance = {}}; }
Guarantee bounded(std::uint32_t limit) {
  return {.exhausted = true, .bounds = {{Base::nonpreemptive, limit, limit}}, .chance = {}};
}

// The names of the members that gave plans, with how many in a row, until `plans` are given or none is left.
std::string turns(Portfolio& portfolio, std::uint64_t plans) {
  std::string text;
  std::string_view last;
  std::uint64_t count = 0;
  auto flush = [&] {
    if (count > 0) text += std::string(last) + std::to_string(count) + ' ';
    count = 0;
  };
  Plan plan;
  while (plans-- > 0 && portfolio.next(plan)) {
    portfolio.learn(plan, {});
    if (portfolio.member() != last) flush();
    last = portfolio.member();
    ++count;
  }
  flush();
  return text;
}

TEST(Portfolio, TurnsGoByShareAndGrow) {
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::make_unique<Counted>(10'000, complete()), 2, true});
  members.push_back({"b", std::make_unique<Counted>(10'000, Guarantee{}), 1, false});
  Portfolio portfolio(std::move(members));
  EXPECT_EQ(turns(portfolio, 75 + 150 + 10), "a50 b25 a100 b50 a10 ");
  EXPECT_FALSE(portfolio.guarantee().exhausted);
}

TEST(Portfolio, EndsWithTheFirstThatCoversAll) {
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::make_unique<Counted>(10'000, complete()), 1, true});
  members.push_back({"b", std::make_unique<Counted>(30, complete()), 1, true});
  Portfolio portfolio(std::move(members));
  EXPECT_EQ(turns(portfolio, 1'000), "a25 b25 a50 b5 ");
  EXPECT_TRUE(portfolio.guarantee().complete);
  EXPECT_TRUE(portfolio.problem().empty());
}

TEST(Portfolio, GoesOnWithoutThoseThatAreDone) {
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::make_unique<Counted>(60, complete()), 1, true});
  members.push_back({"b", std::make_unique<Counted>(10, bounded(2)), 1, false});
  Portfolio portfolio(std::move(members));
  EXPECT_EQ(turns(portfolio, 40), "a25 b10 a5 ");
  Guarantee guarantee = portfolio.guarantee();
  EXPECT_FALSE(guarantee.complete);
  EXPECT_FALSE(guarantee.exhausted);
  ASSERT_EQ(guarantee.bounds.size(), 1u);
  EXPECT_EQ(guarantee.bounds[0].completed, 2u) << "what it covered stays covered";
  EXPECT_EQ(turns(portfolio, 1'000), "a30 ");
  EXPECT_TRUE(portfolio.guarantee().complete);
}

TEST(Portfolio, WhatFailedCoversNothing) {
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::make_unique<Counted>(30, complete(), "no room"), 1, true});
  Portfolio portfolio(std::move(members));
  EXPECT_EQ(turns(portfolio, 1'000), "a30 ");
  EXPECT_EQ(portfolio.problem(), "no room");
  EXPECT_FALSE(portfolio.guarantee().exhausted);
}

TEST(Portfolio, SaysWhyItEndsWithoutHavingCoveredAll) {
  auto large = std::make_unique<Counted>(10'000, complete());
  large->nodes = 11;
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::make_unique<Counted>(30, Guarantee{}), 1, false});
  members.push_back({"b", std::move(large), 1, true, 10});
  Portfolio portfolio(std::move(members));
  EXPECT_EQ(turns(portfolio, 1'000), "a25 b25 a5 ");
  EXPECT_FALSE(portfolio.problem().empty());
  EXPECT_FALSE(portfolio.guarantee().exhausted);
}

TEST(Portfolio, GivesUpWhatGrowsTooLarge) {
  auto large = std::make_unique<Counted>(10'000, Guarantee{});
  large->nodes = 11;
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::make_unique<Counted>(10'000, complete()), 1, true});
  members.push_back({"b", std::move(large), 1, false, 10});
  Portfolio portfolio(std::move(members));
  EXPECT_EQ(turns(portfolio, 150), "a25 b25 a100 ");
}

Guarantee without_bound(Covers covers) {
  Guarantee guarantee;
  guarantee.exhausted = true;
  guarantee.covers = covers;
  return guarantee;
}

// One that covers all, and has done so much by its estimate; and one that covers nearly all with 20 plans,
// and begins when the other one has planned 60.
Portfolio with_nearly_all(std::optional<double> done,
                          Guarantee covered = without_bound(Covers::deadlocks_and_races),
                          std::string problem = "") {
  auto all = std::make_unique<Counted>(10'000'000, complete());
  all->done = done;
  auto nearly = std::make_unique<Counted>(20, std::move(covered), std::move(problem));
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::move(all), 1, true});
  members.push_back({"n", std::move(nearly)});
  members.back().nearly_all_after = 60;
  return Portfolio(std::move(members));
}

TEST(Portfolio, EndsWithWhatIsNearlyCovered) {
  Portfolio portfolio = with_nearly_all({});
  EXPECT_EQ(turns(portfolio, 1'000), "a75 n20 ");
  EXPECT_TRUE(portfolio.problem().empty());
  EXPECT_TRUE(portfolio.guarantee().exhausted);
  EXPECT_FALSE(portfolio.guarantee().complete);
  EXPECT_EQ(portfolio.guarantee().covers, Covers::deadlocks_and_races);
}

TEST(Portfolio, GoesOnWhereOneThatCoversAllIsToEnd) {
  Portfolio portfolio = with_nearly_all(0.5);
  EXPECT_EQ(turns(portfolio, 1'000), "a75 n20 a905 ");
  EXPECT_EQ(portfolio.guarantee().covers, Covers::deadlocks_and_races) << "it is claimed meanwhile";
}

TEST(Portfolio, GoesOnWhereLessIsCovered) {
  Portfolio less = with_nearly_all({}, without_bound(Covers::assertions));
  EXPECT_EQ(turns(less, 1'000), "a75 n20 a905 ");
  EXPECT_FALSE(less.guarantee().exhausted);
  Portfolio failed = with_nearly_all({}, without_bound(Covers::deadlocks_and_races), "cannot");
  EXPECT_EQ(turns(failed, 1'000), "a75 n20 a905 ");
  EXPECT_TRUE(failed.problem().empty()) << "the others need not fail";
}

TEST(Portfolio, GivesNoTurnsToOneThatWillCoverNothing) {
  auto nearly = std::make_unique<Counted>(1'000, Guarantee{}, "cannot");
  nearly->problem_from = 990;
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::make_unique<Counted>(10'000, complete()), 1, true});
  members.push_back({"n", std::move(nearly)});
  members.back().nearly_all_after = 0;
  Portfolio portfolio(std::move(members));
  EXPECT_EQ(turns(portfolio, 1'000), "a25 n25 a950 ");
  EXPECT_TRUE(portfolio.problem().empty());
}

// One that covers all, with turns of 1000, 2000, ...; and one that covers nearly all with so many plans, each
// of which costs as much as nine executions besides its own. That one may begin at 1000.
struct WithDear {
  Counted* all = nullptr;
  Counted* dear = nullptr;
  std::unique_ptr<Portfolio> portfolio;
};

// A member that covers all, and one whose plans are dear.
std::unique_ptr<Portfolio> with_members(std::unique_ptr<Counted> all, std::unique_ptr<Counted> dear) {
  dear->each = 9;
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::move(all), 40, true});
  members.push_back({"d", std::move(dear)});
  members.back().nearly_all_after = 500;
  members.back().is_dear = true;
  return std::make_unique<Portfolio>(std::move(members));
}

WithDear with_dear(std::uint64_t plans, std::uint64_t plans_of_all = 10'000'000) {
  WithDear both;
  auto all = std::make_unique<Counted>(plans_of_all, complete());
  auto dear = std::make_unique<Counted>(plans, without_bound(Covers::deadlocks_and_races));
  both.all = all.get();
  both.dear = dear.get();
  both.portfolio = with_members(std::move(all), std::move(dear));
  return both;
}

TEST(Portfolio, DearPlansHaveATwentiethOfAll) {
  const WithDear both = with_dear(1'000);
  EXPECT_EQ(turns(*both.portfolio, 3'016), "a999 d5 a1001 d5 a1001 d5 ");
  turns(*both.portfolio, 100'000);
  const std::uint64_t of_twenty = 103'016 / 200;  // plans
  EXPECT_LE(both.dear->planned, of_twenty + 1);
  EXPECT_GE(both.dear->planned, of_twenty * 15 / 16);
}

TEST(Portfolio, DearPlansEndTheSearch) {
  const WithDear both = with_dear(7);
  EXPECT_EQ(turns(*both.portfolio, 10'000), "a999 d5 a1001 d2 ");
  EXPECT_TRUE(both.portfolio->guarantee().exhausted);
  EXPECT_EQ(both.portfolio->guarantee().covers, Covers::deadlocks_and_races);
  EXPECT_TRUE(both.portfolio->problem().empty());
}

// What proves more is worth as much as all so far.
TEST(Portfolio, DearPlansDoNotEndASearchThatEndsSoon) {
  const WithDear both = with_dear(3, 1'900);
  both.all->done = 0.55;
  EXPECT_EQ(turns(*both.portfolio, 10'000), "a999 d3 a901 ");
  EXPECT_TRUE(both.portfolio->guarantee().complete);
}

TEST(Portfolio, DearPlansAreNotMadeWhereTheOthersEndSooner) {
  const WithDear both = with_dear(1'000);
  both.all->done = 0.5;
  both.dear->to_come = 1'500;
  EXPECT_EQ(turns(*both.portfolio, 3'000), "a2000 d10 a990 ") << "1,000 were left at first, 2,000 by then";
}

TEST(Portfolio, WaitsUntilWhatIsDearIsPaid) {
  const WithDear both = with_dear(1'000);
  both.dear->next_costs = 150;
  EXPECT_EQ(turns(*both.portfolio, 4'000), "a3001 d15 a984 ");
}

TEST(Portfolio, DearPlansAreMadeWhereNobodyElseCanGoOn) {
  auto all = std::make_unique<Counted>(700, Guarantee{}, "cannot");
  auto dear = std::make_unique<Counted>(300, without_bound(Covers::deadlocks_and_races));
  const std::unique_ptr<Portfolio> portfolio = with_members(std::move(all), std::move(dear));
  EXPECT_EQ(turns(*portfolio, 2'000), "a700 d300 ");
  EXPECT_TRUE(portfolio->guarantee().exhausted);
  EXPECT_TRUE(portfolio->problem().empty());
}

// Two members with turns of 25, 50, 100, ...; the first one covers all, and has done so much by its estimate.
std::string turns_near_end(std::optional<double> done, std::uint64_t plans, bool covers_all = true) {
  auto near_end = std::make_unique<Counted>(10'000'000, complete());
  near_end->done = done;
  std::vector<Portfolio::Member> members;
  members.push_back({"a", std::move(near_end), 1, covers_all});
  members.push_back({"b", std::make_unique<Counted>(10'000'000, Guarantee{}), 1, true});
  Portfolio portfolio(std::move(members));
  return turns(portfolio, plans);
}

TEST(Portfolio, TurnsAreLongerNearTheEnd) {
  EXPECT_EQ(turns_near_end(0.5, 2'000), "a25 b25 a50 b50 a1600 b100 a150 ");
  const std::string by_share = "a25 b25 a50 b50 a100 b100 a200 b200 a250 ";
  EXPECT_EQ(turns_near_end({}, 1'000), by_share) << "it does not say how far it is";
  EXPECT_EQ(turns_near_end(0.0001, 1'000), by_share) << "75 executions are a part of 750,000";
  EXPECT_EQ(turns_near_end(0.5, 1'000, false), by_share) << "its end is not the end of all";
}

// An estimate that is wrong costs the others their turns for so many executions, and no more.
TEST(Portfolio, TurnsAreByShareAgainWhereTheEndDoesNotCome) {
  const std::string text = turns_near_end(1.0, 2 * (std::uint64_t{1} << 19));
  std::uint64_t of_a = 0;
  std::uint64_t long_turns = 0;
  bool is_first_by_share = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find(' ', at);
    const std::uint64_t count = std::stoull(text.substr(at + 1, end - at - 1));
    if (text[at] == 'a') {
      long_turns += count > 6'400 ? 1 : 0;
      if (of_a == std::uint64_t{1} << 19 && is_first_by_share) {
        is_first_by_share = false;
        EXPECT_EQ(count, 6'400u);
      }
      of_a += count;
      EXPECT_LE(count, 16 * 6'400u);
    }
    at = end + 1;
  }
  EXPECT_FALSE(is_first_by_share);
  EXPECT_GT(long_turns, 5u);
}

}  // namespace
}  // namespace thrum
