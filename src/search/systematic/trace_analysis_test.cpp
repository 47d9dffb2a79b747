// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces made by hand. That the answers suffice for reductions is tested against the oracle,
// tests/oracle/analysis_test.cpp.
#include "search/systematic/trace_analysis.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace thrum {
namespace {

using Reversal = TraceAnalysis::Reversal;

// An execution of threads 1, 2, ..., written down event by event, each with who was enabled before it.
class Execution {
 public:
  Execution& run(ThreadId thread, Operation operation, std::uint64_t object,
                 std::set<ThreadId> enabled = {1, 2}) {
    ThreadId last = trace.events.empty() ? kMainThread : trace.events.back().thread;
    ChoicePoint& point = trace.choices.emplace_back();
    point.key = {last, ChoiceKind::thread, done_[last]};
    point.running_enabled = enabled.contains(last);
    point.enabled = static_cast<std::uint16_t>(enabled.size());
    point.options_begin = static_cast<std::uint32_t>(trace.options.size());
    point.options_count = point.enabled;
    for (ThreadId other : enabled) {
      if (other == thread)
        point.taken = static_cast<std::uint16_t>(trace.options.size() - point.options_begin);
      trace.options.push_back({other, Via::run});
    }
    Event& event = trace.events.emplace_back();
    event.thread = thread;
    event.index = done_[thread]++;
    event.operation = operation;
    event.object = object;
    event.size = operation == Operation::load || operation == Operation::store ? 4 : 0;
    return *this;
  }
  Execution& stands(ThreadId thread, Operation operation, std::uint64_t object) {
    PendingOperation& pending = trace.pending.emplace_back();
    pending.thread = thread;
    pending.operation = operation;
    pending.object = object;
    return *this;
  }
  // The last event's choice is one where the plan departs.
  Execution& departs() {
    const ChoicePoint& point = trace.choices.back();
    plan.departures.push_back({point.key, trace.options_of(point)[point.taken]});
    return *this;
  }
  // For each choice whether thread could run there, and is to.
  std::vector<Reversal> reversals(ThreadId thread) {
    analysis_.begin(plan, trace);
    std::vector<Reversal> result;
    for (std::size_t i = analysis_.first_new(); i < trace.choices.size(); ++i) {
      Reversal reversal = Reversal::none;
      for (std::uint16_t option = 0; option < trace.choices[i].options_count; ++option) {
        if (trace.options_of(trace.choices[i])[option].value == thread)
          reversal = analysis_.reversal(i, option);
      }
      result.push_back(reversal);
    }
    return result;
  }
  std::vector<bool> sleeping(ThreadId thread) {
    analysis_.begin(plan, trace);
    std::vector<bool> result;
    for (std::size_t i = 0; i < trace.choices.size(); ++i) {
      for (std::uint16_t option = 0; option < trace.choices[i].options_count; ++option) {
        if (trace.options_of(trace.choices[i])[option].value == thread)
          result.push_back(analysis_.sleeps(i, option));
      }
    }
    return result;
  }

  Plan plan;
  Trace trace;

 private:
  std::map<ThreadId, std::uint32_t> done_;
  TraceAnalysis analysis_;
};

constexpr std::uint64_t kX = 0x1000;
constexpr std::uint64_t kY = 0x2000;
constexpr std::uint64_t kZ = 0x3000;
constexpr std::uint64_t kMutex = 0x4000;
constexpr Operation kStore = Operation::store;
constexpr Operation kLoad = Operation::load;
constexpr Operation kLock = Operation::lock;
constexpr Operation kUnlock = Operation::unlock;
constexpr Reversal kNone = Reversal::none;
constexpr Reversal kMaybe = Reversal::conservative;
constexpr Reversal kExact = Reversal::exact;
using Reversals = std::vector<Reversal>;

TEST(TraceAnalysis, ReversesTheLastConflict) {
  Execution execution;
  execution.run(1, kStore, kX).run(2, kStore, kY, {2}).run(2, kStore, kX, {2});
  EXPECT_EQ(execution.reversals(2), (Reversals{kExact, kNone, kNone}));
  // Reads commute, and so do operations on different objects.
  Execution reads;
  reads.run(1, kLoad, kX).run(1, kStore, kY).run(2, kLoad, kX, {2});
  EXPECT_EQ(reads.reversals(2), (Reversals{kNone, kNone, kNone}));
}

// While thread 2 stands before its write, thread 1 reads twice: the write could come before either.
TEST(TraceAnalysis, ReversesEveryConflictThatIsTheLastForAWhile) {
  Execution execution;
  execution.run(2, kStore, kY).run(1, kLoad, kX).run(1, kLoad, kX).run(2, kStore, kX);
  EXPECT_EQ(execution.reversals(2), (Reversals{kNone, kExact, kExact, kNone}));
  // Of those before that time, only the last.
  Execution earlier;
  earlier.run(1, kLoad, kX).run(1, kLoad, kX).run(2, kStore, kY, {2}).run(2, kStore, kX, {2});
  EXPECT_EQ(earlier.reversals(2), (Reversals{kNone, kExact, kNone, kNone}));
}

TEST(TraceAnalysis, LeavesWhatIsOrderedAnyway) {
  Execution execution;
  execution.run(1, kStore, kX).run(1, kStore, kY).run(2, kLoad, kY, {2}).run(2, kStore, kX, {2});
  EXPECT_EQ(execution.reversals(2), (Reversals{kNone, kExact, kNone, kNone}));
}

// Thread 2 is created by what thread 1 does after its first event: nothing of it could come before.
TEST(TraceAnalysis, WhatMakesAThreadEnabledComesBeforeIt) {
  Execution execution;
  execution.run(1, kStore, kX, {1}).run(1, kStore, kY).run(2, kStore, kX, {2});
  EXPECT_EQ(execution.reversals(2), (Reversals{kNone, kNone, kNone}));
}

TEST(TraceAnalysis, ReversesAcquisitionsOfLocks) {
  Execution execution;
  execution.run(1, kLock, kMutex).run(1, kUnlock, kMutex).run(2, kStore, kY, {2}).run(2, kLock, kMutex, {2});
  EXPECT_EQ(execution.reversals(2), (Reversals{kExact, kMaybe, kNone, kNone}));
}

// It waited for the lock, and could have had it before.
TEST(TraceAnalysis, WhoWaitsForALockIsNotOrderedByIt) {
  Execution execution;
  execution.run(1, kLock, kMutex).run(1, kUnlock, kMutex, {1}).run(2, kLock, kMutex);
  EXPECT_EQ(execution.reversals(2), (Reversals{kExact, kNone, kNone}));
}

// Where the thread is not enabled, others may lead to it.
TEST(TraceAnalysis, MarksAllWhereTheThreadIsNotEnabled) {
  Execution execution;
  execution.run(1, kStore, kX, {1, 3}).run(3, kStore, kY, {1, 3}).run(1, kStore, kZ, {1, 2, 3});
  execution.stands(2, kStore, kX);
  EXPECT_EQ(execution.reversals(3), (Reversals{kMaybe, kNone, kNone}));
}

TEST(TraceAnalysis, LooksAtWhatThreadsStandBefore) {
  Execution execution;
  execution.run(1, kLock, kMutex).run(1, kStore, kX, {1}).stands(2, kLock, kMutex);
  EXPECT_EQ(execution.reversals(2), (Reversals{kExact, kNone}));
}

// Behind the departure only: what came before was seen in another execution.
TEST(TraceAnalysis, LooksAtWhatIsNew) {
  Execution execution;
  execution.run(1, kStore, kX).run(2, kStore, kX).departs().run(1, kStore, kX).run(2, kStore, kX);
  EXPECT_EQ(execution.reversals(2), (Reversals{kExact, kNone}));
}

// What is no visible operation has no choice before it, and does not move any.
TEST(TraceAnalysis, PassesOverWhatIsNotVisible) {
  Execution execution;
  execution.run(1, kStore, kX);
  Event note = execution.trace.events.back();
  note.operation = Operation::thread_create;
  note.index = 1;
  execution.trace.events.push_back(note);
  execution.run(1, kStore, kY).run(2, kStore, kY, {2});
  EXPECT_EQ(execution.reversals(2), (Reversals{kNone, kExact, kNone}));
}

// The default is thread 1, whose execution was run before; until somebody writes x it need not run.
TEST(TraceAnalysis, PutsToSleepWhatWasRunBefore) {
  Execution execution;
  execution.run(2, kStore, kY)
      .departs()
      .run(2, kStore, kY)
      .run(2, kStore, kX)
      .run(2, kStore, kY)
      .run(1, kStore, kX, {1});
  EXPECT_EQ(execution.sleeping(1), (std::vector<bool>{false, true, true, false, false}));
  EXPECT_EQ(execution.sleeping(2), (std::vector<bool>{false, false, false, false}));
}

// Once what is asleep has run, everything is known.
TEST(TraceAnalysis, ASleeperThatRunsMakesTheRestRedundant) {
  Execution execution;
  execution.run(2, kStore, kY).departs().run(1, kStore, kX).run(1, kStore, kY).run(2, kStore, kX);
  EXPECT_EQ(execution.sleeping(2), (std::vector<bool>{false, false, true, true}));
}

}  // namespace
}  // namespace thrum
