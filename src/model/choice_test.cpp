// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/choice.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thrum {
namespace {

// Threads 1, 2 and 3 are enabled, and 4's timed wait may expire; 2 ran last.
const std::vector<Option> kOptions = {{1, Via::run}, {2, Via::run}, {3, Via::run}, {4, Via::timeout}};

struct Case {
  const char* what;
  bool running_enabled;
  bool yielded;
  Base base;
  std::uint16_t default_option;
  std::vector<std::uint16_t> costs;
};

TEST(Choice, DefaultsAndCostsOfThreads) {
  const Case cases[] = {
      {"stays", true, false, Base::nonpreemptive, 1, {1, 0, 1, 2}},
      {"yielded: goes round, free but for the timeout", true, true, Base::nonpreemptive, 2, {0, 0, 0, 1}},
      {"stays; others by their distance", true, false, Base::round_robin, 1, {2, 0, 1, 3}},
      {"yielded: last in the round", true, true, Base::round_robin, 2, {1, 2, 0, 3}},
  };
  for (const Case& c : cases) {
    ChoicePoint point;
    point.key = {2, ChoiceKind::thread, 5};
    point.running_enabled = c.running_enabled;
    point.yielded = c.yielded;
    point.enabled = 3;
    point.round = 2;
    EXPECT_EQ(default_option(point, kOptions, c.base), c.default_option) << c.what;
    for (std::uint16_t i = 0; i < kOptions.size(); ++i) {
      EXPECT_EQ(option_cost(point, kOptions, i, c.base), c.costs[i]) << c.what << ", option " << i;
    }
  }
}

// Threads 1, 3 and 4 are enabled; 2 ran last and is blocked: 3 is the next in round-robin order.
TEST(Choice, BlockedThreadsAreLeftForFree) {
  const std::vector<Option> options = {{1, Via::run}, {3, Via::run}, {4, Via::run}, {2, Via::timeout}};
  ChoicePoint point;
  point.key = {2, ChoiceKind::thread, 5};
  point.enabled = 3;
  point.round = 1;
  EXPECT_EQ(default_option(point, options, Base::nonpreemptive), 0);
  EXPECT_EQ(default_option(point, options, Base::round_robin), 1);
  const std::uint16_t preemptions[] = {0, 0, 0, 1};
  const std::uint16_t delays[] = {2, 0, 1, 3};
  for (std::uint16_t i = 0; i < 4; ++i) {
    EXPECT_EQ(option_cost(point, options, i, Base::nonpreemptive), preemptions[i]);
    EXPECT_EQ(option_cost(point, options, i, Base::round_robin), delays[i]);
  }
}

// 1 has a pending signal and could run without it, 2 runs, 3 is a timer.
TEST(Choice, SignalsAreFreeAndLateOnesAreNot) {
  const std::vector<Option> options = {{1, Via::signal}, {2, Via::run}, {1, Via::run}, {3, Via::expiry}};
  ChoicePoint point;
  point.key = {2, ChoiceKind::thread, 5};
  point.enabled = 2;
  const std::uint16_t free_to_leave[] = {0, 0, 1, 1};
  const std::uint16_t staying[] = {1, 0, 2, 1};  // a timer does not take the turn of a thread
  for (std::uint16_t i = 0; i < 4; ++i)
    EXPECT_EQ(option_cost(point, options, i, Base::nonpreemptive), free_to_leave[i]);
  point.running_enabled = true;
  EXPECT_EQ(default_option(point, options, Base::nonpreemptive), 1);
  for (std::uint16_t i = 0; i < 4; ++i)
    EXPECT_EQ(option_cost(point, options, i, Base::nonpreemptive), staying[i]);
  point.key.thread = 1;  // it was running when the signal came
  EXPECT_EQ(default_option(point, options, Base::nonpreemptive), 0);
  EXPECT_EQ(option_cost(point, options, 2, Base::nonpreemptive), 1);
}

// 1 and 2 are enabled, 3 may time out, 3 and 4 may wake up spuriously.
TEST(Choice, SpuriousWakeUpsCost) {
  const std::vector<Option> options = {
      {1, Via::run}, {2, Via::run}, {3, Via::timeout}, {3, Via::spurious}, {4, Via::spurious}};
  ChoicePoint point;
  point.key = {2, ChoiceKind::thread, 5};
  point.enabled = 2;
  point.round = 0;
  const auto expect = [&](Base base, std::vector<std::uint16_t> costs) {
    for (std::uint16_t i = 0; i < options.size(); ++i)
      EXPECT_EQ(option_cost(point, options, i, base), costs[i]) << "option " << i;
  };
  point.running_enabled = true;
  expect(Base::nonpreemptive, {1, 0, 2, 2, 2});  // they take 2's turn
  expect(Base::round_robin, {1, 0, 2, 3, 4});    // after all enabled threads
  point.yielded = true;
  expect(Base::nonpreemptive, {0, 0, 1, 1, 1});
  point.running_enabled = point.yielded = false;
  point.key.thread = 4;
  expect(Base::nonpreemptive, {0, 0, 1, 1, 1});
  expect(Base::round_robin, {0, 1, 2, 3, 4});
  EXPECT_EQ(default_option(point, options, Base::nonpreemptive), 0);
}

// If no thread is enabled, a timeout is free, but a spurious wake-up is not: a search without them must not
// run executions with them.
TEST(Choice, SpuriousWakeUpsCostBesideTimeoutsToo) {
  const std::vector<Option> options = {{1, Via::timeout}, {1, Via::spurious}, {2, Via::spurious}};
  ChoicePoint point;
  point.key = {2, ChoiceKind::thread, 5};
  const std::uint16_t costs[] = {0, 1, 1};
  for (Base base : {Base::nonpreemptive, Base::round_robin}) {
    EXPECT_EQ(default_option(point, options, base), 0);
    for (std::uint16_t i = 0; i < 3; ++i) EXPECT_EQ(option_cost(point, options, i, base), costs[i]);
  }
}

TEST(Choice, NothingButTimeoutsIsFree) {
  const std::vector<Option> options = {{1, Via::timeout}, {2, Via::timeout}};
  ChoicePoint point;
  point.key = {2, ChoiceKind::thread, 5};
  for (Base base : {Base::nonpreemptive, Base::round_robin}) {
    EXPECT_EQ(default_option(point, options, base), 0);
    for (std::uint16_t i = 0; i < 2; ++i) EXPECT_EQ(option_cost(point, options, i, base), 0);
  }
}

TEST(Choice, ValuesAndWaitersAreFree) {
  const std::vector<Option> options = {{7, Via::run}, {8, Via::run}};
  for (ChoiceKind kind : {ChoiceKind::waiter, ChoiceKind::value}) {
    ChoicePoint point;
    point.key = {2, kind, 5};
    for (Base base : {Base::nonpreemptive, Base::round_robin}) {
      EXPECT_EQ(default_option(point, options, base), 0);
      for (std::uint16_t i = 0; i < 2; ++i) EXPECT_EQ(option_cost(point, options, i, base), 0);
    }
  }
}

}  // namespace
}  // namespace thrum
