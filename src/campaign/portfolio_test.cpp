// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/portfolio.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thrum {
namespace {

// Gives a number of plans, and makes the claims that it is given.
class Counted final : public Strategy, public Reporting {
 public:
  Counted(std::uint64_t plans, Guarantee at_its_end, std::string problem = "")
      : left_(plans), at_its_end_(std::move(at_its_end)), problem_(std::move(problem)) {}

  bool next(Plan&) override { return left_ > 0 && left_-- > 0; }
  std::string problem() const override { return left_ == 0 ? problem_ : ""; }
  void learn(const Plan&, const Trace&) override {}
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override { return left_ == 0 && problem_.empty() ? at_its_end_ : Guarantee{}; }
  SearchStatistics statistics() const override { return {.nodes = nodes}; }

  std::uint64_t nodes = 0;

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

}  // namespace
}  // namespace thrum
