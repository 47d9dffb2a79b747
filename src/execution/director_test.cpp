// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/director.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace thrum {
namespace {

class Nobody final : public Pending {
 public:
  std::span<const PendingOperation> pending() override { return {}; }
};

// Two threads, 1 and 2, are always enabled. `running` ran last and has done `index` events.
class DirectorTest : public ::testing::Test {
 protected:
  void begin(const Plan& plan, Wanted wanted, Advisor* advisor = nullptr) {
    plan_ = plan;
    director_.begin(plan_, advisor, wanted, trace_);
  }
  std::uint16_t choose(ThreadId running, std::uint32_t index) {
    ChoicePoint point;
    point.key = key(running, index);
    point.running_enabled = true;
    point.enabled = 2;
    point.round = running == 1 ? 1 : 0;
    return director_.choose(point, options_, nobody_);
  }
  static ChoiceKey key(ThreadId running, std::uint32_t index) { return {running, ChoiceKind::thread, index}; }

  Director director_;
  Trace trace_;
  Plan plan_;
  std::vector<Option> options_ = {{1, Via::run}, {2, Via::run}};
  Nobody nobody_;
};

TEST_F(DirectorTest, FollowsTheBaseAndWritesItDown) {
  begin({}, Wanted::new_choices());
  EXPECT_FALSE(director_.quiet(key(1, 0)));
  EXPECT_EQ(choose(1, 0), 0);
  EXPECT_EQ(choose(1, 1), 0);
  director_.finish();
  EXPECT_EQ(trace_.end, End::finished);
  EXPECT_EQ(trace_.cost, 0u);
  ASSERT_EQ(trace_.choices.size(), 2u);
  EXPECT_EQ(trace_.choices[1].key, key(1, 1));
  EXPECT_EQ(trace_.choices[1].taken, 0);
  EXPECT_EQ(trace_.options_of(trace_.choices[1]).size(), 2u);
}

TEST_F(DirectorTest, DepartsWhereThePlanSays) {
  begin({{}, {{key(1, 1), {2, Via::run}}}}, Wanted::new_choices());
  EXPECT_TRUE(director_.quiet(key(1, 0)));
  EXPECT_EQ(choose(1, 0), 0);
  EXPECT_FALSE(director_.quiet(key(1, 1)));
  EXPECT_EQ(choose(1, 1), 1);
  EXPECT_FALSE(director_.quiet(key(2, 0))) << "behind the last departure everything is new";
  EXPECT_EQ(choose(2, 0), 1);
  director_.finish();
  EXPECT_EQ(trace_.end, End::finished);
  EXPECT_EQ(trace_.cost, 1u);
  // The recorded fringe begins after the departure.
  ASSERT_EQ(trace_.choices.size(), 1u);
  EXPECT_EQ(trace_.choices[0].key, key(2, 0));
  EXPECT_EQ(trace_.choices[0].cost_before, 1);
}

TEST_F(DirectorTest, WritesEverythingDownWhereAsked) {
  begin({{}, {{key(1, 1), {2, Via::run}}}}, Wanted::all_choices());
  EXPECT_FALSE(director_.quiet(key(1, 0)));
  choose(1, 0);
  choose(1, 1);
  choose(2, 0);
  EXPECT_EQ(trace_.choices.size(), 3u);
  EXPECT_EQ(trace_.choices[1].taken, 1);
  EXPECT_EQ(trace_.choices[1].cost_before, 0);
  EXPECT_EQ(trace_.choices[2].cost_before, 1);
}

TEST_F(DirectorTest, DivergesWhereAnOptionIsMissing) {
  begin({{}, {{key(1, 0), {3, Via::run}}}}, Wanted::new_choices());
  EXPECT_EQ(choose(1, 0), Director::kStop);
  EXPECT_EQ(trace_.end, End::diverged);
  begin({{}, {{key(1, 0), {2, Via::timeout}}}}, Wanted::new_choices());
  EXPECT_EQ(choose(1, 0), Director::kStop);
  EXPECT_EQ(trace_.end, End::diverged);
}

TEST_F(DirectorTest, DivergesWhereDeparturesAreLeftOver) {
  begin({{}, {{key(1, 5), {2, Via::run}}}}, Wanted::new_choices());
  choose(1, 0);
  director_.finish();
  EXPECT_EQ(trace_.end, End::diverged);
}

TEST_F(DirectorTest, KeysTellKindsApart) {
  begin({{}, {{{1, ChoiceKind::value, 0}, {2, Via::run}}}}, Wanted::all_choices());
  EXPECT_EQ(choose(1, 0), 0) << "the departure is for a value";
  EXPECT_EQ(director_.choose({.key = {1, ChoiceKind::value, 0}}, options_, nobody_), 1);
  director_.finish();
  EXPECT_EQ(trace_.end, End::finished);
}

TEST_F(DirectorTest, RandomIsTheSeedsAlone) {
  auto walk = [&](std::uint64_t seed) {
    begin({{Policy::Kind::random, Base::nonpreemptive, seed}, {}}, Wanted::all_choices());
    std::string taken;
    for (std::uint32_t i = 0; i < 30; ++i) taken += static_cast<char>('0' + choose(1, i));
    EXPECT_EQ(trace_.cost, static_cast<std::uint32_t>(std::count(taken.begin(), taken.end(), '1')));
    return taken;
  };
  EXPECT_EQ(walk(1), walk(1));
  EXPECT_NE(walk(1), walk(2));
}

// The proof of a spin needs this: choices in between are not part of the execution.
TEST_F(DirectorTest, PausedItFollowsTheBaseAndWritesNothing) {
  begin({{}, {{key(1, 1), {2, Via::run}}}}, Wanted::all_choices());
  choose(1, 0);
  director_.pause();
  EXPECT_TRUE(director_.quiet(key(1, 1))) << "also where the plan departs";
  EXPECT_EQ(choose(1, 1), 0);
  EXPECT_EQ(choose(2, 7), 1);
  EXPECT_EQ(trace_.choices.size(), 1u);
  EXPECT_EQ(trace_.cost, 0u);
  director_.pause();  // a second call changes nothing
  director_.resume();
  director_.resume();
  EXPECT_FALSE(director_.quiet(key(1, 0))) << "everything is written down again";
  EXPECT_EQ(choose(1, 1), 1) << "the departure is still ahead";
  EXPECT_EQ(trace_.choices.size(), 2u);
  EXPECT_EQ(trace_.cost, 1u);
  director_.finish();
  EXPECT_EQ(trace_.end, End::finished);
}

TEST_F(DirectorTest, PausedItDrawsNoRandomNumbers) {
  const auto walk = [&](bool pauses) {
    begin({{Policy::Kind::random, Base::nonpreemptive, 3}, {}}, Wanted::all_choices());
    std::string taken;
    for (std::uint32_t i = 0; i < 30; ++i) {
      if (pauses) {
        director_.pause();
        EXPECT_EQ(choose(2, i), 1);
        director_.resume();
      }
      taken += static_cast<char>('0' + choose(1, i));
    }
    return taken;
  };
  EXPECT_EQ(walk(true), walk(false));
}

TEST_F(DirectorTest, FinishingWhilePausedStillMissesDepartures) {
  begin({{}, {{key(1, 1), {2, Via::run}}}}, Wanted::new_choices());
  director_.pause();
  choose(1, 1);
  director_.finish();
  EXPECT_EQ(trace_.end, End::diverged);
  begin({{}, {{key(1, 1), {2, Via::run}}}}, Wanted::new_choices());
  EXPECT_EQ(choose(1, 1), 1) << "the next execution begins unpaused";
}

// An advisor that answers as it was told.
class Speaker final : public Advisor {
 public:
  Advice advice;
  int asked = 0;

  Advice at_point(const View& view) override {
    EXPECT_EQ(view.default_option, 0);
    ++asked;
    return advice;
  }
};

TEST_F(DirectorTest, AsksTheAdvisorBehindTheLastDepartureUntilItLeaves) {
  Speaker speaker;
  begin({{}, {{key(1, 1), {2, Via::run}}}}, Wanted::new_choices(), &speaker);
  speaker.advice = {Advice::Kind::take, 0};
  EXPECT_TRUE(director_.quiet(key(1, 0)));
  EXPECT_EQ(choose(1, 0), 0);
  EXPECT_EQ(choose(1, 1), 1);
  EXPECT_EQ(speaker.asked, 0);
  EXPECT_FALSE(director_.quiet(key(1, 2)));
  speaker.advice = {Advice::Kind::take, 1};
  EXPECT_EQ(choose(1, 2), 1);
  EXPECT_EQ(speaker.asked, 1);
  EXPECT_EQ(trace_.cost, 2u);
  speaker.advice = {Advice::Kind::leave, 0};
  EXPECT_EQ(choose(1, 3), 0);
  EXPECT_EQ(choose(1, 4), 0);
  EXPECT_EQ(speaker.asked, 2);
}

TEST_F(DirectorTest, DepartsWhereThereIsNoChoice) {
  begin({{}, {{key(1, 0), {1, Via::run}}, {key(1, 1), {1, Via::run}}}}, Wanted::new_choices());
  options_ = {{1, Via::run}};
  EXPECT_EQ(choose(1, 0), 0);
  EXPECT_EQ(choose(1, 1), 0);
  director_.finish();
  EXPECT_EQ(trace_.end, End::finished);
  EXPECT_TRUE(trace_.choices.empty());
}

TEST_F(DirectorTest, PausedItAsksNobody) {
  Speaker speaker;
  speaker.advice = {Advice::Kind::take, 1};
  begin({}, Wanted::new_choices(), &speaker);
  director_.pause();
  EXPECT_EQ(choose(1, 0), 0);
  director_.resume();
  EXPECT_EQ(speaker.asked, 0);
  EXPECT_EQ(choose(1, 0), 1);
}

TEST_F(DirectorTest, StopsForTheStrategy) {
  Speaker speaker;
  speaker.advice = {Advice::Kind::stop, 0};
  begin({}, Wanted::new_choices(), &speaker);
  EXPECT_EQ(choose(1, 0), Director::kStop);
  director_.finish();
  EXPECT_EQ(trace_.end, End::stopped);
}

TEST_F(DirectorTest, ABugBeforeTheLastDepartureIsABug) {
  begin({{}, {{key(1, 1), {2, Via::run}}}}, Wanted::new_choices());
  EXPECT_EQ(choose(1, 0), 0);
  trace_.end = End::bug;
  director_.finish();
  EXPECT_EQ(trace_.end, End::bug);
}

}  // namespace
}  // namespace thrum
