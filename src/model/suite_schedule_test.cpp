// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/suite_schedule.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/random.hpp"

namespace thrum {
namespace {

// Threads 0.1, 0.2 and 0.2.1; their numbers are in another order than their names.
struct Three {
  ThreadNames names;
  ThreadId second = names.child(kMainThread, 2);
  ThreadId grandchild = names.child(second, 1);
  ThreadId first = names.child(kMainThread, 1);
};

SuiteSchedule schedule_of_each_kind(const Three& threads) {
  SuiteSchedule schedule;
  schedule.end = End::goes_round;
  schedule.events = 0xabc;
  Policy& policy = schedule.plan.policy;
  policy.fairness = Fairness::on;
  policy.waiting = Waiting::changed;
  policy.rounds = Rounds::block;
  schedule.plan.departures = {{{threads.first, ChoiceKind::thread, 3}, {threads.second, Via::run}},
                              {{threads.second, ChoiceKind::thread, 5}, {threads.first, Via::signal_first}},
                              {{threads.first, ChoiceKind::waiter, 4}, {threads.grandchild, Via::run}},
                              {{kMainThread, ChoiceKind::value, 7}, {41, Via::run}}};
  schedule.plan.inputs = {{threads.grandchild, 2, 12, std::string("\x07\x0f", 2)}, {kMainThread, 0, 0, ""}};
  return schedule;
}

TEST(SuiteSchedule, IsOneLine) {
  const Three threads;
  EXPECT_EQ(to_line(schedule_of_each_kind(threads), threads.names),
            "goes-round 0000000000000abc fairness=on waiting=changed rounds=block 0.1@3=0.2 "
            "0.2@5=0.1:signal-first 0.1@4!0.2.1 0@7#41 0.2.1?2:12=070f 0?0:0=");
  EXPECT_EQ(to_line({}, threads.names), "finished 0000000000000000");
}

TEST(SuiteSchedule, MeansTheSameToOtherNames) {
  const Three threads;
  const std::string line = to_line(schedule_of_each_kind(threads), threads.names);
  Three same;
  EXPECT_EQ(schedule_of_line(line, same.names), schedule_of_each_kind(threads));
  ThreadNames others;
  others.child(others.child(kMainThread, 7), 3);
  const std::optional<SuiteSchedule> read = schedule_of_line(line, others);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_line(*read, others), line);
  EXPECT_NE(read->plan, schedule_of_each_kind(threads).plan) << "the ids are others";
}

TEST(SuiteSchedule, EachEndIsRead) {
  ThreadNames names;
  for (int end = 0; end <= static_cast<int>(End::uncontrolled); ++end) {
    SuiteSchedule schedule;
    schedule.end = static_cast<End>(end);
    EXPECT_EQ(schedule_of_line(to_line(schedule, names), names), schedule);
  }
}

TEST(SuiteSchedule, OtherLinesAreRefused) {
  const std::string begin = "finished 0123456789abcdef";
  ThreadNames names;
  ASSERT_TRUE(schedule_of_line(begin + " 0@1=0.1", names));
  for (const char* rest : {" ",
                           "0",
                           " x",
                           " 0@1",
                           " 0@1=",
                           " 0@1=1",
                           " 0@x=0.1",
                           " @1=0.1",
                           " 0@1=0.1:",
                           " 0@1=0.1:soon",
                           " 0@1#",
                           " 0@1#65536",
                           " 0@1#0.1",
                           " 0@1!",
                           " 0@-1=0.1",
                           " 0@99999999999=0.1",
                           " 0@1=0.01",
                           "  0@1=0.1",
                           " 0@1=0.1 ",
                           " fairness=",
                           " fairness=maybe",
                           " waiting=long",
                           " rounds=square",
                           " 0?1",
                           " 0?1:8",
                           " 0?1:8=",
                           " 0?1:8=0",
                           " 0?1:8=0g",
                           " 0?1:8=0000",
                           " 0?1=8:00",
                           " 0=0.1@1"})
    EXPECT_FALSE(schedule_of_line(begin + rest, names)) << rest;
  for (const char* line : {"", "finished", "finished ", "done 0123456789abcdef", "finished 123",
                           "finished 0123456789abcdeg", " finished 0123456789abcdef"})
    EXPECT_FALSE(schedule_of_line(line, names)) << line;
}

// What is read from a line with any one character changed is either the line's own schedule or another one,
// and never out of range.
TEST(SuiteSchedule, DamagedLinesDoNoHarm) {
  const Three threads;
  const std::string line = to_line(schedule_of_each_kind(threads), threads.names);
  Random random(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    for (int times = 0; times < 20; ++times) {
      std::string damaged = line;
      damaged[i] = static_cast<char>(random.below(128));
      ThreadNames names;
      const std::optional<SuiteSchedule> read = schedule_of_line(damaged, names);
      if (!read) continue;
      for (const Departure& departure : read->plan.departures) {
        EXPECT_LT(departure.key.thread, names.size());
        const bool names_thread = departure.key.kind != ChoiceKind::value;
        EXPECT_TRUE(!names_thread || departure.option.value < names.size()) << damaged;
      }
      ThreadNames again;
      const std::optional<SuiteSchedule> same = schedule_of_line(to_line(*read, names), again);
      ASSERT_TRUE(same) << damaged;
      EXPECT_EQ(to_line(*same, again), to_line(*read, names));
    }
  }
}

Trace trace_of(const std::vector<std::pair<ThreadId, Operation>>& steps) {
  Trace trace;
  for (const auto& [thread, operation] : steps) {
    Event& event = trace.events.emplace_back();
    event.thread = thread;
    event.operation = operation;
  }
  return trace;
}

TEST(DigestOfEvents, IsOfThreadsOperationsAndOutcomes) {
  const Three threads;
  const Trace trace = trace_of({{threads.first, Operation::lock}, {threads.second, Operation::store}});
  const std::uint64_t digest = digest_of_events(trace, threads.names);
  Trace elsewhere = trace;
  elsewhere.events[0].object = 0x1000;
  elsewhere.events[1].value = 7;
  EXPECT_EQ(digest_of_events(elsewhere, threads.names), digest);
  Trace failed = trace;
  failed.events[0].outcome = Outcome::failed;
  Trace shorter = trace;
  shorter.events.pop_back();
  for (const Trace& other :
       {failed, shorter, trace_of({{threads.second, Operation::store}, {threads.first, Operation::lock}}),
        trace_of({{threads.first, Operation::lock}, {threads.first, Operation::store}}),
        trace_of({{threads.first, Operation::lock}, {threads.second, Operation::load}})})
    EXPECT_NE(digest_of_events(other, threads.names), digest);
  ThreadNames others;
  const ThreadId first = others.child(kMainThread, 1);
  const ThreadId second = others.child(kMainThread, 2);
  EXPECT_EQ(digest_of_events(trace_of({{first, Operation::lock}, {second, Operation::store}}), others),
            digest);
}

}  // namespace
}  // namespace thrum
