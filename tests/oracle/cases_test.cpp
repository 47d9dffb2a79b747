// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle on programs small enough to enumerate by hand, and the comparison on strategies that are wrong:
// if the judge could not fail, its verdicts would mean nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/shrink.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {
namespace {

ToyCode code_of(const char* text) { return parse(text).value(); }

Findings findings_of(const char* text) { return enumerate(code_of(text), {.count_classes = true}); }

using Schedules = std::map<std::string, int>;

// Each execution with its preemptions.
Schedules schedules_of(const Findings& findings) {
  Schedules schedules;
  for (const auto& [schedule, ending] : findings.executions) schedules[schedule] = ending.preemptions;
  return schedules;
}

ToyBug deadlock(std::set<std::uint64_t> waits) { return {BugKind::deadlock, 0, std::move(waits)}; }

// Store here, load there (Dekker): six interleavings. The loads may give 0 1, 1 0 and 1 1 but never 0 0, and
// each is a class.
TEST(OracleCases, StoreBuffering) {
  Findings findings = findings_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n store x0 1\n load x1 r0\n"
      "thread t2\n store x1 1\n load x0 r0\n");
  EXPECT_EQ(schedules_of(findings),
            (Schedules{{"1122", 0}, {"2211", 0}, {"1212", 2}, {"1221", 1}, {"2112", 1}, {"2121", 2}}));
  EXPECT_EQ(findings.final_states().size(), 3u);
  EXPECT_EQ(findings.classes.size(), 3u);
  EXPECT_TRUE(findings.bugs.empty());
}

// The deadlock takes one preemption. Otherwise one thread has both locks before the other gets its first;
// that one's first lock may come before the last unlock, which is of another mutex and so no other class.
TEST(OracleCases, LocksInOppositeOrder) {
  Findings findings = findings_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n lock m1\n unlock m1\n unlock m0\n"
      "thread t2\n lock m1\n lock m0\n unlock m0\n unlock m1\n");
  EXPECT_EQ(
      schedules_of(findings),
      (Schedules{{"11112222", 0}, {"11121222", 1}, {"22221111", 0}, {"22212111", 1}, {"12", 1}, {"21", 1}}));
  EXPECT_EQ(findings.bugs, (std::map<ToyBug, int>{{deadlock({toy_place(1, 1), toy_place(2, 1)}), 1}}));
  EXPECT_EQ(findings.final_states().size(), 2u);
  EXPECT_EQ(findings.classes.size(), 3u);
}

// A signal that comes before the wait is lost.
TEST(OracleCases, LostWakeUp) {
  Findings findings = findings_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n wait c0 m0\n unlock m0\n"
      "thread t2\n signal c0\n");
  EXPECT_EQ(schedules_of(findings), (Schedules{{"211", 0}, {"121", 1}, {"112>111", 0}}));
  EXPECT_EQ(findings.bugs, (std::map<ToyBug, int>{{deadlock({toy_place(1, 1)}), 0}}));
  EXPECT_EQ(findings.classes.size(), 2u);
}

// The same with a timeout, which costs 1 while the other thread could run and nothing when that has ended.
// Behind it, to leave the thread is a preemption, before and after it gets the mutex back.
TEST(OracleCases, Timeouts) {
  Findings findings = findings_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n timedwait c0 m0 r0 1\n unlock m0\n"
      "thread t2\n signal c0\n");
  EXPECT_EQ(
      schedules_of(findings),
      (Schedules{
          {"2111!11", 0}, {"1211!11", 1}, {"112>111", 0}, {"111!211", 2}, {"111!121", 2}, {"111!112", 1}}));
  EXPECT_TRUE(findings.bugs.empty());
  EXPECT_EQ(findings.final_states().size(), 2u);
}

// The same with wake-ups for no reason, which cost 1 and are not offered where nothing else can go on: the
// deadlock stays.
TEST(OracleCases, SpuriousWakeUps) {
  Findings findings = findings_of(
      "spurious\n"
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n wait c0 m0\n unlock m0\n"
      "thread t2\n signal c0\n");
  EXPECT_EQ(
      schedules_of(findings),
      (Schedules{{"211", 0}, {"121", 1}, {"112>111", 0}, {"111~211", 2}, {"111~121", 2}, {"111~112", 1}}));
  EXPECT_EQ(findings.bugs, (std::map<ToyBug, int>{{deadlock({toy_place(1, 1)}), 0}}));
  // By delays it is one further than the last thread that can go on.
  EXPECT_EQ(findings.executions.at("111~112").delays, 1);
}

// A spurious wake-up takes the turn of a thread that runs.
TEST(OracleCases, SpuriousWakeUpInsteadOfTheRunningThread) {
  Findings findings = findings_of(
      "spurious\n"
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n wait c0 m0\n unlock m0\n"
      "thread t2\n load x0 r0\n load x0 r0\n");
  EXPECT_EQ(findings.executions.at("1121~112").preemptions, 2);
  EXPECT_EQ(findings.executions.at("1121~112").delays, 1);
  EXPECT_EQ(findings.executions.at("111~1122").preemptions, 1);
  EXPECT_EQ(findings.executions.at("1122").bug, deadlock({toy_place(1, 1)}));
}

// A thread that woke up for no reason, and waits again, does so again only when another has done something.
TEST(OracleCases, SpuriousWakeUpsHaveAnEnd) {
  Findings findings = findings_of(
      "spurious\n"
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n wait c0 m0\n wait c0 m0\n unlock m0\n"
      "thread t2\n load x0 r0\n load x0 r0\n");
  EXPECT_EQ(findings.executions.at("111~1121~112").preemptions, 3);
  for (const auto& [schedule, ending] : findings.executions)
    EXPECT_EQ(schedule.find("1~111~"), std::string::npos) << schedule;
}

// With two waiters each may, one behind the other, also beside a timeout; where only that can come, a wake-up
// costs 1 and it nothing.
TEST(OracleCases, SpuriousWakeUpsAndTimeouts) {
  Findings findings = findings_of(
      "spurious\n"
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n timedwait c0 m0 r0 1\n equal r0 1\n"
      "thread t2\n lock m1\n timedwait c1 m1 r0 2\n");
  EXPECT_EQ(findings.executions.at("11221!12!2").preemptions, 0);
  EXPECT_EQ(findings.executions.at("11222~21!1").preemptions, 1);
  EXPECT_EQ(findings.executions.at("11222~21!1").delays, 1);
  EXPECT_EQ(findings.executions.at("11221~1").bug, (ToyBug{BugKind::assertion, toy_place(1, 2), {}}));
  EXPECT_EQ(findings.bugs, (std::map<ToyBug, int>{{{BugKind::assertion, toy_place(1, 2), {}}, 1}}));
}

// Two timed waits and nothing else: only the earlier deadline expires; of equal ones either.
TEST(OracleCases, EarliestDeadlineFirst) {
  Findings earlier_second = findings_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n timedwait c0 m0 r0 2\n"
      "thread t2\n lock m1\n timedwait c1 m1 r0 1\n");
  EXPECT_EQ(earlier_second.executions.at("11222!21!1").preemptions, 0);
  EXPECT_FALSE(earlier_second.executions.contains("11221!12!2"));
  Findings equal = findings_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n timedwait c0 m0 r0 1\n"
      "thread t2\n lock m1\n timedwait c1 m1 r0 1\n");
  EXPECT_EQ(equal.executions.at("11222!21!1").preemptions, 0);
  EXPECT_EQ(equal.executions.at("11221!12!2").preemptions, 0);
}

// Leaving before a yield is free, leaving behind it is not.
TEST(OracleCases, Yield) {
  Findings findings = findings_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n load x0 r0\n yield\n load x0 r0\n"
      "thread t2\n load x0 r0\n");
  EXPECT_EQ(schedules_of(findings), (Schedules{{"2111", 0}, {"1211", 0}, {"1121", 1}, {"1112", 0}}));
  EXPECT_EQ(findings.classes.size(), 1u);
}

// By delays: 1 stands first in the round; before its yield 2 does; behind it 1 again.
TEST(OracleCases, Delays) {
  Findings findings = findings_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n load x0 r0\n yield\n load x0 r0\n"
      "thread t2\n load x0 r0\n");
  Schedules delays;
  for (const auto& [schedule, ending] : findings.executions) delays[schedule] = ending.delays;
  EXPECT_EQ(delays, (Schedules{{"2111", 1}, {"1211", 0}, {"1121", 2}, {"1112", 1}}));
}

// A signal wakes one of two, whichever.
TEST(OracleCases, WhichWaiter) {
  Findings findings = findings_of(
      "thread t0\n create t1\n create t2\n signal c0\n"
      "thread t1\n lock m0\n wait c0 m0\n unlock m0\n"
      "thread t2\n lock m0\n wait c0 m0\n unlock m0\n");
  EXPECT_TRUE(findings.executions.contains("11220>111"));
  EXPECT_TRUE(findings.executions.contains("11220>222"));
  // Both wait for ever where the signal comes first; else the other one.
  EXPECT_EQ(findings.bugs, (std::map<ToyBug, int>{{deadlock({toy_place(1, 1)}), 1},
                                                  {deadlock({toy_place(2, 1)}), 1},
                                                  {deadlock({toy_place(1, 1), toy_place(2, 1)}), 0}}));
}

// Assertions stop the execution where they stand: thread 1's instruction 1.
TEST(OracleCases, Assertion) {
  Findings findings = findings_of(
      "thread t0\n create t1\n store x0 1\n store x0 2\n"
      "thread t1\n load x0 r0\n unequal r0 1\n store x1 1\n");
  EXPECT_EQ(findings.bugs, (std::map<ToyBug, int>{{{BugKind::assertion, toy_place(1, 1), {}}, 1}}));
  EXPECT_TRUE(findings.executions.contains("01"));
  EXPECT_TRUE(findings.executions.contains("1100"));
}

TEST(OracleCases, MisusedMutex) {
  Findings findings = findings_of("thread t0\n create t1\n lock m0\n thread t1\n unlock m0\n");
  EXPECT_EQ(findings.bugs, (std::map<ToyBug, int>{{{BugKind::lock_misuse, toy_place(1, 0), {}}, 0}}));
}

// docs/semantics.md, "Known counts": 2^N.
TEST(OracleCases, ReadersHaveTwoToTheNClasses) {
  EXPECT_EQ(findings_of("thread t0\n create t1\n create t2\n create t3\n create t4\n store x0 1\n"
                        "thread t1\n load x0 r0\n thread t2\n load x0 r0\n"
                        "thread t3\n load x0 r0\n thread t4\n load x0 r0\n")
                .classes.size(),
            16u);
}

// docs/semantics.md, "Known counts": (N + 3) 2^(N - 2), here for N = 2. What is written does not matter but
// that it is not 0.
TEST(OracleCases, LastZeroHasFiveClasses) {
  EXPECT_EQ(findings_of("thread t0\n create t1\n create t2\n create t3\n"
                        "thread t1\n load x2 r0\n skip r0 0 3\n load x1 r0\n skip r0 0 1\n load x0 r0\n"
                        "thread t2\n load x0 r0\n store x1 1\n"
                        "thread t3\n load x1 r0\n store x2 1\n")
                .classes.size(),
            5u);
}

TEST(OracleCases, Races) {
  EXPECT_TRUE(findings_of("thread t0\n create t1\n write p0 1\n thread t1\n read p0 r0\n yield\n").racy);
  EXPECT_FALSE(findings_of("thread t0\n create t1\n read p0 r0\n thread t1\n read p0 r0\n yield\n").racy);
  // Creation and join order.
  EXPECT_FALSE(findings_of("thread t0\n write p0 1\n create t1\n join t1\n write p0 2\n"
                           "thread t1\n yield\n write p0 3\n")
                   .racy);
  // So do locks; one thread without is enough for a race.
  const char* locked =
      "thread t0\n create t1\n lock m0\n write p0 1\n unlock m0\n"
      "thread t1\n lock m0\n read p0 r0\n unlock m0\n";
  const char* unlocked =
      "thread t0\n create t1\n lock m0\n write p0 1\n unlock m0\n thread t1\n yield\n read p0 r0\n";
  EXPECT_FALSE(findings_of(locked).racy);
  EXPECT_TRUE(findings_of(unlocked).racy);
  // A message: ordered where the flag was seen, and only there.
  EXPECT_FALSE(findings_of("thread t0\n create t1\n write p0 1\n store x0 1\n"
                           "thread t1\n load x0 r0\n skip r0 0 1\n read p0 r1\n")
                   .racy);
  EXPECT_TRUE(findings_of("thread t0\n create t1\n write p0 1\n store x0 1\n"
                          "thread t1\n load x0 r0\n skip r0 1 1\n read p0 r1\n")
                  .racy);
  // A store by another does not hand on what came before, unless it has seen it; a semaphore does.
  EXPECT_FALSE(findings_of("thread t0\n create t1\n create t2\n write p0 1\n store x0 1\n"
                           "thread t1\n load x0 r0\n skip r0 0 1\n store x0 2\n"
                           "thread t2\n load x0 r0\n skip r0 0 2\n skip r0 1 1\n read p0 r1\n")
                   .racy);
  EXPECT_TRUE(findings_of("thread t0\n create t1\n create t2\n write p0 1\n store x0 1\n"
                          "thread t1\n store x0 2\n"
                          "thread t2\n load x0 r0\n skip r0 0 2\n skip r0 1 1\n read p0 r1\n")
                  .racy);
  EXPECT_FALSE(findings_of("thread t0\n create t1\n create t2\n write p0 1\n up s0\n"
                           "thread t1\n down s0\n up s0\n"
                           "thread t2\n down s0\n read p0 r1\n")
                   .racy);
}

// Wraps a right strategy and spoils what it does.
class Wrong final : public Strategy {
 public:
  enum class Fault { none, drops, repeats, claims };

  Wrong(Fault fault, Systematic::Settings settings) : fault_(fault), right_(settings) {}

  bool next(Plan& plan) override {
    bool tenth = ++calls_ % 10 == 0;
    if (fault_ == Fault::repeats && tenth) {
      plan = last_;
      repeating_ = true;
      return true;
    }
    if (!right_.next(plan)) return false;
    if (fault_ == Fault::drops && tenth) {
      right_.learn(plan, {});
      if (!right_.next(plan)) return false;
    }
    last_ = plan;
    return true;
  }
  Wanted wanted() const override { return right_.wanted(); }
  void learn(const Plan& plan, const Trace& trace) override {
    if (!std::exchange(repeating_, false)) right_.learn(plan, trace);
  }
  Guarantee guarantee() const override {
    Guarantee guarantee = right_.guarantee();
    if (fault_ == Fault::claims) guarantee.complete = true;
    return guarantee;
  }

 private:
  Fault fault_;
  Systematic right_;
  Plan last_;
  int calls_ = 0;
  bool repeating_ = false;
};

TEST(Comparison, CatchesWrongStrategies) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomProgram program = random_program(seed, Family::a, 2'000);
    auto verdict = [&](Wrong::Fault fault, Systematic::Settings settings, Promise promise) {
      Wrong wrong(fault, settings);
      return compare_search(program.code, program.findings, wrong, promise);
    };
    bool many = program.findings.executions.size() >= 20;
    if (many) {
      EXPECT_NE(verdict(Wrong::Fault::drops, {}, {}), "") << print(program.code);
      EXPECT_NE(verdict(Wrong::Fault::repeats, {}, {}), "") << print(program.code);
    }
    // Where preemptions are needed, to claim completeness without them is wrong.
    bool excluded = program.findings.by_preemptions.size() > 1;
    Systematic::Settings bounded{Base::nonpreemptive, 0, true};
    if (excluded) {
      EXPECT_NE(verdict(Wrong::Fault::claims, bounded, {Base::nonpreemptive, 0, true}), "");
      // A bound is not its neighbour, and delays are not preemptions.
      EXPECT_NE(verdict(Wrong::Fault::none, bounded, {Base::nonpreemptive, 1, true}), "");
    }
    if (program.findings.by_preemptions != program.findings.by_delays) {
      EXPECT_NE(verdict(Wrong::Fault::none, {Base::round_robin, std::nullopt, true}, {}), "");
    }
  }
}

TEST(Comparison, CatchesDepthFirstSearchThatPassesForCheapestFirst) {
  ToyCode code = code_of(
      "thread t0\n create t1\n create t2\n thread t1\n load x0 r0\n load x0 r0\n load x0 r0\n"
      "thread t2\n load x0 r0\n load x0 r0\n load x0 r0\n");
  Systematic depth_first({Base::nonpreemptive, std::nullopt, false});
  EXPECT_NE(compare_search(code, enumerate(code), depth_first, {}), "");
}

TEST(Comparison, CatchesAnOracleThatIsWrong) {
  RandomProgram program = random_program(7, Family::a, 2'000);
  Findings findings = program.findings;
  findings.executions.erase(findings.executions.begin());
  EXPECT_NE(compare_systematic(program.code, findings), "");
  findings = program.findings;
  ++findings.executions.begin()->second.preemptions;
  EXPECT_NE(compare_systematic(program.code, findings), "");
  findings = program.findings;
  findings.executions.begin()->second.has_bug = !findings.executions.begin()->second.has_bug;
  EXPECT_NE(compare_systematic(program.code, findings), "");
}

TEST(Shrink, FindsTheSmallestDeadlock) {
  auto deadlocks = [](const ToyCode& code) {
    const Findings findings = enumerate(code);
    return std::any_of(findings.bugs.begin(), findings.bugs.end(),
                       [](const auto& bug) { return bug.first.kind == BugKind::deadlock; });
  };
  int shrunk = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomProgram program = random_program(seed, Family::a, 500);
    if (!deadlocks(program.code)) continue;
    ToyCode small = shrink(program.code, deadlocks);
    EXPECT_TRUE(deadlocks(small));
    std::size_t size = 0;
    for (const auto& thread : small.threads) size += thread.size();
    EXPECT_LE(size, 10u) << print(small);
    ++shrunk;
  }
  EXPECT_GT(shrunk, 5);

  ToyCode self = code_of("thread t0\n create t1\n load x1 r1\n thread t1\n lock m1\n store x1 2\n lock m1\n");
  EXPECT_EQ(print(shrink(self, deadlocks)), "thread t0\n  create t1\nthread t1\n  lock m1\n  lock m1\n");
}

TEST(RandomPrograms, AreTheSameForTheSameSeed) {
  EXPECT_EQ(random_program(3, Family::a, 1'000).code, random_program(3, Family::a, 1'000).code);
  EXPECT_NE(random_program(3, Family::a, 1'000).code, random_program(4, Family::a, 1'000).code);
}

}  // namespace
}  // namespace thrum
