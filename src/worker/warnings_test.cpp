// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders of locks, read from traces that are made by hand.
#include "worker/warnings.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

namespace thrum {
namespace {

constexpr std::uint64_t kA = 0x100;
constexpr std::uint64_t kB = 0x200;
constexpr std::uint64_t kC = 0x300;
constexpr ThreadId kOne{1};
constexpr ThreadId kTwo{2};
constexpr ThreadId kThree{3};

// One step of a thread.
struct Step {
  ThreadId thread;
  Operation operation;
  std::uint64_t lock;
  Outcome outcome = Outcome::done;
};

Trace trace_of(std::initializer_list<Step> steps) {
  Trace trace;
  std::map<ThreadId, std::uint32_t> done;
  for (const Step& step : steps) {
    Event& event = trace.events.emplace_back();
    event.thread = step.thread;
    event.operation = step.operation;
    event.object = step.lock;
    event.outcome = step.outcome;
    event.index = done[step.thread]++;
    trace.details.places.push_back({{Place::Space::other, 0, 0, step.lock}, {}, {}, {}});
  }
  return trace;
}

// Every plan of it has the same trace.
class OneTrace final : public Program {
 public:
  explicit OneTrace(Trace trace) : trace_(std::move(trace)) {}
  void run(const Plan&, Advisor*, Wanted, Trace& trace) override { trace = trace_; }
  ThreadNames& names() override { return names_; }

 private:
  Trace trace_;
  ThreadNames names_;
};

std::vector<Warning> warnings_of(std::initializer_list<Step> steps, const std::vector<FoundBug>& bugs = {}) {
  Warnings warnings;
  const Plan plan;
  OneTrace program(trace_of(steps));
  warnings.watch(true);
  warnings.begin(plan);
  EXPECT_TRUE(warnings.wants_events()) << "of the first execution";
  Trace trace;
  program.run(plan, nullptr, Wanted::everything(), trace);
  warnings.learn(trace);
  warnings.watch(false);
  return warnings.explain(program, bugs);
}

constexpr auto kLock = Operation::lock;
constexpr auto kUnlock = Operation::unlock;

TEST(Warnings, TwoThreadsInOppositeOrders) {
  const std::vector<Warning> found = warnings_of({{kOne, kLock, kA},
                                                  {kOne, kLock, kB},
                                                  {kOne, kUnlock, kB},
                                                  {kOne, kUnlock, kA},
                                                  {kTwo, kLock, kB},
                                                  {kTwo, kLock, kA},
                                                  {kTwo, kUnlock, kA},
                                                  {kTwo, kUnlock, kB}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "lock-order");
  ASSERT_EQ(found[0].evidence.size(), 2u);
  for (const Trace& evidence : found[0].evidence) EXPECT_EQ(evidence.events.size(), 2u);
  EXPECT_NE(found[0].evidence[0].events[0].thread, found[0].evidence[1].events[0].thread);
}

TEST(Warnings, ADeadlockThatWasFoundSaysItAll) {
  FoundBug deadlock;
  deadlock.failure.kind = BugKind::deadlock;
  EXPECT_TRUE(warnings_of({{kOne, kLock, kA},
                           {kOne, kLock, kB},
                           {kOne, kUnlock, kB},
                           {kOne, kUnlock, kA},
                           {kTwo, kLock, kB},
                           {kTwo, kLock, kA}},
                          {deadlock})
                  .empty());
}

TEST(Warnings, OneThreadAloneMayTakeBothOrders) {
  EXPECT_TRUE(warnings_of({{kOne, kLock, kA},
                           {kOne, kLock, kB},
                           {kOne, kUnlock, kB},
                           {kOne, kUnlock, kA},
                           {kOne, kLock, kB},
                           {kOne, kLock, kA}})
                  .empty());
}

TEST(Warnings, ACommonLockKeepsThemApart) {
  EXPECT_TRUE(warnings_of({{kOne, kLock, kC},
                           {kOne, kLock, kA},
                           {kOne, kLock, kB},
                           {kOne, kUnlock, kB},
                           {kOne, kUnlock, kA},
                           {kOne, kUnlock, kC},
                           {kTwo, kLock, kC},
                           {kTwo, kLock, kB},
                           {kTwo, kLock, kA}})
                  .empty());
}

TEST(Warnings, ATryLockDoesNotWait) {
  EXPECT_TRUE(warnings_of({{kOne, kLock, kA},
                           {kOne, kLock, kB},
                           {kOne, kUnlock, kB},
                           {kOne, kUnlock, kA},
                           {kTwo, kLock, kB},
                           {kTwo, Operation::try_lock, kA}})
                  .empty());
}

TEST(Warnings, WhatATryLockGotIsHeld) {
  EXPECT_EQ(warnings_of({{kOne, kLock, kA},
                         {kOne, kLock, kB},
                         {kOne, kUnlock, kB},
                         {kOne, kUnlock, kA},
                         {kTwo, Operation::try_lock, kB},
                         {kTwo, kLock, kA}})
                .size(),
            1u);
  EXPECT_TRUE(warnings_of({{kOne, kLock, kA},
                           {kOne, kLock, kB},
                           {kOne, kUnlock, kB},
                           {kOne, kUnlock, kA},
                           {kTwo, Operation::try_lock, kB, Outcome::failed},
                           {kTwo, kLock, kA}})
                  .empty());
}

TEST(Warnings, ReadersDoNotWaitForEachOther) {
  constexpr auto kShared = Operation::shared_lock;
  constexpr auto kUnshared = Operation::shared_unlock;
  EXPECT_TRUE(warnings_of({{kOne, kShared, kA},
                           {kOne, kShared, kB},
                           {kOne, kUnshared, kB},
                           {kOne, kUnshared, kA},
                           {kTwo, kShared, kB},
                           {kTwo, kShared, kA}})
                  .empty());
}

TEST(Warnings, ACircleOfThree) {
  const std::vector<Warning> found = warnings_of({{kOne, kLock, kA},
                                                  {kOne, kLock, kB},
                                                  {kOne, kUnlock, kB},
                                                  {kOne, kUnlock, kA},
                                                  {kTwo, kLock, kB},
                                                  {kTwo, kLock, kC},
                                                  {kTwo, kUnlock, kC},
                                                  {kTwo, kUnlock, kB},
                                                  {kThree, kLock, kC},
                                                  {kThree, kLock, kA}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].evidence.size(), 3u);
}

TEST(Warnings, TheFirstExecutionsAreSampledAndThenEachThousandth) {
  Warnings warnings;
  const Plan plan;
  warnings.watch(true);
  int sampled = 0;
  for (int execution = 1; execution <= 4000; ++execution) {
    warnings.begin(plan);
    sampled += warnings.wants_events() ? 1 : 0;
  }
  EXPECT_EQ(sampled, 1000 + 3);
  warnings.watch(false);
  warnings.begin(plan);
  EXPECT_FALSE(warnings.wants_events());
}

}  // namespace
}  // namespace thrum
