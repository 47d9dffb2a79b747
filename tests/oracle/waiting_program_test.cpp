// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a toy program with loops tells a strategy.
#include "oracle/waiting_program.hpp"

#include <gtest/gtest.h>

#include "oracle/waiting_programs.hpp"

namespace thrum {
namespace {

Plan plan_of(Rounds rounds, std::vector<Departure> departures = {}) {
  Plan plan{{}, std::move(departures)};
  plan.policy.rounds = rounds;
  return plan;
}

Departure leave(ThreadId thread, std::uint32_t events, ThreadId to) {
  return {{thread, ChoiceKind::thread, events}, {to, Via::run}};
}

// Thread 0 waits while x is 0, and thread 1 stores 1, and then 0 again.
WaitingCode one_waits() {
  WaitingCode code;
  code.threads.push_back(WaitingAssembler().label("wait").clear(0).load(0, 0).if_equal(0, 0, "wait").code());
  code.threads.push_back(WaitingAssembler().store(1, 0).store(0, 0).code());
  return code;
}

TEST(WaitingProgram, BlocksAThreadBehindARound) {
  WaitingProgram program(one_waits());
  Trace trace;
  program.run(plan_of(Rounds::block), nullptr, Wanted::all_events(), trace);
  ASSERT_EQ(trace.events.size(), 4u);  // a creation, the round, two stores
  EXPECT_EQ(trace.events[0].operation, Operation::thread_create);
  EXPECT_EQ(trace.events[1].operation, Operation::load);
  EXPECT_TRUE(trace.awaits.empty());
  EXPECT_TRUE(trace.refusals.empty());
  EXPECT_EQ(trace.end, End::bug);
  EXPECT_EQ(trace.failure.kind, BugKind::livelock);
  ASSERT_EQ(trace.pending.size(), 1u);
  EXPECT_FALSE(trace.pending[0].enabled);
  EXPECT_TRUE(trace.pending[0].sleeps);
}

TEST(WaitingProgram, LearnsThatAReadComesToNothingAndBeginsAnew) {
  WaitingProgram program(one_waits());
  Trace trace;
  program.run(plan_of(Rounds::await), nullptr, Wanted::all_events(), trace);
  // The first store; the thread that waits goes on by itself only if it is told to.
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_EQ(trace.events[1].operation, Operation::store);
  EXPECT_EQ(trace.events[2].operation, Operation::store);
  EXPECT_EQ(trace.failure.kind, BugKind::livelock);
  ASSERT_EQ(trace.pending.size(), 1u);
  EXPECT_FALSE(trace.pending[0].enabled);
  EXPECT_FALSE(trace.pending[0].sleeps);
  const std::uint64_t condition = trace.pending[0].condition;
  EXPECT_NE(condition, 0u);
  EXPECT_EQ(trace.refusals, std::vector<Refusal>({{condition, 0}}));

  // Between the stores it goes on; main's first step is that of the other thread.
  const ThreadId other = program.names().child(kMainThread, 1);
  program.run(plan_of(Rounds::await, {leave(other, 1, kMainThread)}), nullptr, Wanted::all_events(), trace);
  EXPECT_EQ(trace.end, End::finished);
  ASSERT_EQ(trace.events.size(), 4u);
  ASSERT_EQ(trace.awaits.size(), 1u);
  EXPECT_EQ(trace.awaits[0].event, 2u);
  EXPECT_EQ(trace.awaits[0].condition, condition);
  EXPECT_EQ(trace.events[2].operation, Operation::load);
  EXPECT_EQ(trace.events[2].value, 1u);
}

TEST(WaitingProgram, StopsWhereAPlanWantsWhatIsRefused) {
  WaitingProgram program(one_waits());
  const ThreadId other = program.names().child(kMainThread, 1);
  Trace trace;
  // As it is behind both stores.
  program.run(plan_of(Rounds::await, {leave(other, 2, kMainThread)}), nullptr, Wanted::new_events(0), trace);
  EXPECT_EQ(trace.end, End::stopped);
  ASSERT_EQ(trace.pending.size(), 1u);
  EXPECT_EQ(trace.refusals, std::vector<Refusal>({{trace.pending[0].condition, 0}}));
}

TEST(WaitingProgram, HasOneConditionForOneHistory) {
  // The second read waits for y; what x was read as is another history.
  WaitingCode code;
  code.threads.push_back(
      WaitingAssembler().load(3, 0).label("wait").clear(0).load(0, 1).if_equal(0, 0, "wait").code());
  code.threads.push_back(WaitingAssembler().store(1, 0).code());
  WaitingProgram program(code);
  const ThreadId other = program.names().child(kMainThread, 1);
  Trace trace;
  auto last_condition = [&](std::vector<Departure> departures) {
    program.run(plan_of(Rounds::await, std::move(departures)), nullptr, Wanted::all_events(), trace);
    return trace.pending.at(0).condition;
  };
  const std::uint64_t first = last_condition({});
  const std::uint64_t second = last_condition({leave(kMainThread, 0, other)});
  EXPECT_NE(first, second);
  EXPECT_EQ(last_condition({}), first);
}

TEST(WaitingProgram, TellsALivelockFromWaitingInVain) {
  Trace trace;
  // x is 1 only for a moment, and never again.
  WaitingProgram too_late(waiting::waits_for_what_is_taken_back());
  too_late.run(plan_of(Rounds::block), nullptr, Wanted::all_events(), trace);
  EXPECT_EQ(trace.end, End::bug);
  EXPECT_EQ(trace.failure.kind, BugKind::livelock);
  // The second thread looks while the first holds the lock, and does not look again.
  WaitingProgram too_early(waiting::ttas(2, waiting::Dead::cleared));
  const ThreadId other = too_early.names().child(kMainThread, 1);
  too_early.run(plan_of(Rounds::block, {leave(kMainThread, 2, other)}), nullptr, Wanted::all_events(), trace);
  EXPECT_EQ(trace.end, End::waiting);
}

TEST(WaitingProgram, DescribesReadModifyWritesSoThatTheirOutcomesAreKnown) {
  WaitingCode code;
  WaitingAssembler a;
  a.fetch_add(0, 0, 3).exchange(0, 0, 3).set(1, 3).set(2, 5).compare_exchange(0, 0, 1, 2);
  code.threads.push_back(a.compare_exchange(0, 0, 1, 2).fetch_add(0, 0, -5).code());
  WaitingProgram program(code);
  Trace trace;
  program.run(plan_of(Rounds::block), nullptr, Wanted::all_events(), trace);
  const Outcome kOutcomes[] = {Outcome::done, Outcome::unchanged, Outcome::done, Outcome::failed,
                               Outcome::done};
  ASSERT_EQ(trace.events.size(), std::size(kOutcomes));
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    EXPECT_EQ(trace.events[i].outcome, kOutcomes[i]) << i;
    EXPECT_EQ(outcome_on(trace.events[i], trace.events[i].value), kOutcomes[i]) << i;
  }
  EXPECT_EQ(outcome_on(trace.events[1], 4), Outcome::done);
  EXPECT_EQ(outcome_on(trace.events[3], 3), Outcome::done);
  EXPECT_EQ(program.final_state().cells[0], 0);
}

}  // namespace
}  // namespace thrum
