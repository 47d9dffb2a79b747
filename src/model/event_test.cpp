// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/event.hpp"

#include <gtest/gtest.h>

#include <set>

namespace thrum {
namespace {

constexpr std::uint64_t kObject = 1000;

Event event(ThreadId thread, Operation operation, std::uint64_t object = kObject,
            Outcome outcome = Outcome::done) {
  Event result;
  result.thread = thread;
  result.operation = operation;
  result.object = object;
  result.outcome = outcome;
  return result;
}

// Whether these operations of two threads on one object depend on each other.
bool depend(Operation a, Operation b) { return dependent(event(1, a), event(2, b)); }

TEST(Event, OperationsAreNamedBothWays) {
  std::set<std::string_view> names;
  for (int i = 0; i < kOperationCount; ++i) {
    auto operation = static_cast<Operation>(i);
    EXPECT_FALSE(operation_name(operation).empty());
    EXPECT_EQ(operation_from_name(operation_name(operation)), operation);
    names.insert(operation_name(operation));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kOperationCount));
  EXPECT_EQ(static_cast<int>(operation_from_name("no such operation")), kOperationCount);
}

TEST(Event, OnlyThreadLifeAndPlainDataAreInvisible) {
  std::set<Operation> invisible;
  for (int i = 0; i < kOperationCount; ++i) {
    if (!is_visible(static_cast<Operation>(i))) invisible.insert(static_cast<Operation>(i));
  }
  EXPECT_EQ(invisible,
            (std::set<Operation>{Operation::plain_load, Operation::plain_store, Operation::deallocate,
                                 Operation::thread_create, Operation::thread_start, Operation::thread_end,
                                 Operation::thread_join, Operation::others_ended}));
}

TEST(Dependence, IsSymmetric) {
  for (int i = 0; i < kOperationCount; ++i) {
    for (int j = 0; j < kOperationCount; ++j) {
      for (Outcome x : {Outcome::done, Outcome::failed, Outcome::timed_out, Outcome::unchanged}) {
        for (std::uint64_t object : {kObject, kObject + 1}) {
          Event a = event(1, static_cast<Operation>(i), kObject, x);
          Event b = event(2, static_cast<Operation>(j), object);
          b.operand = kObject;
          EXPECT_EQ(dependent(a, b), dependent(b, a))
              << operation_name(a.operation) << ", " << operation_name(b.operation);
        }
      }
    }
  }
}

// The inlined fast cases agree with the table.
TEST(Dependence, IsInLineAsInTheTable) {
  constexpr Outcome kOutcomes[] = {Outcome::done, Outcome::failed, Outcome::unchanged};
  int different = 0;
  auto compare = [&](Event a, Event b) {
    a.operand = b.operand = kObject;  // the mutex of a wait; a thread that may be cancelled anywhere
    a.value = 2;
    b.value = 1;
    EXPECT_EQ(dependent(a, b), dependent_by_table(a, b))
        << operation_name(a.operation) << ", " << operation_name(b.operation) << " at " << b.object;
    different += dependent(a, b) ? 0 : 1;
  };
  for (int i = 0; i < kOperationCount * kOperationCount; ++i) {
    const auto first = static_cast<Operation>(i / kOperationCount);
    const auto second = static_cast<Operation>(i % kOperationCount);
    for (int outcomes = 0; outcomes < 9; ++outcomes) {
      for (std::uint64_t object : {std::uint64_t{0}, kObject - 1, kObject, kObject + 3, kObject + 4}) {
        for (std::uint32_t size : {0u, 1u, 4u}) {
          Event a = event(1, first, kObject, kOutcomes[outcomes / 3]);
          Event b = event(2, second, object, kOutcomes[outcomes % 3]);
          a.size = b.size = size;
          compare(a, b);
        }
      }
    }
  }
  EXPECT_GT(different, 10'000);
}

TEST(Dependence, EventsOfOneThreadDepend) {
  EXPECT_TRUE(dependent(event(1, Operation::yield), event(1, Operation::load)));
}

// docs/semantics.md, "Classes and states", row by row.
TEST(Dependence, IsAsInTheTable) {
  EXPECT_FALSE(depend(Operation::load, Operation::load));
  EXPECT_TRUE(depend(Operation::load, Operation::store));
  EXPECT_TRUE(depend(Operation::store, Operation::store));
  EXPECT_TRUE(depend(Operation::read_modify_write, Operation::read_modify_write));
  EXPECT_TRUE(depend(Operation::lock, Operation::lock));
  EXPECT_TRUE(depend(Operation::lock, Operation::unlock));
  EXPECT_FALSE(depend(Operation::semaphore_post, Operation::semaphore_post));
  EXPECT_TRUE(depend(Operation::semaphore_post, Operation::semaphore_wait));
  EXPECT_TRUE(depend(Operation::semaphore_wait, Operation::semaphore_wait));
  EXPECT_TRUE(depend(Operation::signal, Operation::signal));
  EXPECT_TRUE(depend(Operation::signal, Operation::broadcast));
  EXPECT_TRUE(depend(Operation::signal, Operation::wait_release));
  EXPECT_TRUE(depend(Operation::signal, Operation::timeout));
  EXPECT_TRUE(depend(Operation::broadcast, Operation::wait_reacquire));
  EXPECT_TRUE(depend(Operation::futex_wait, Operation::store));
  EXPECT_TRUE(depend(Operation::futex_wait, Operation::futex_wake));
  for (int i = 0; i < kOperationCount; ++i) {
    auto other = static_cast<Operation>(i);
    bool ends =
        other == Operation::process_exit || other == Operation::signal_send || other == Operation::invariant;
    EXPECT_EQ(depend(Operation::fence, other), ends);
    EXPECT_EQ(depend(Operation::yield, other), ends);
    EXPECT_TRUE(depend(Operation::process_exit, other));
    EXPECT_EQ(depend(Operation::invariant, other), other != Operation::invariant);
  }
}

TEST(Dependence, FailedAttemptsAreReads) {
  for (Operation operation :
       {Operation::try_lock, Operation::compare_exchange, Operation::semaphore_try_wait}) {
    Event failed = event(1, operation, kObject, Outcome::failed);
    EXPECT_TRUE(is_read(failed));
    EXPECT_FALSE(dependent(failed, event(2, operation, kObject, Outcome::failed)));
    EXPECT_TRUE(dependent(failed, event(2, operation)));
  }
  EXPECT_TRUE(
      dependent(event(1, Operation::try_lock, kObject, Outcome::failed), event(2, Operation::unlock)));
  EXPECT_TRUE(dependent(event(1, Operation::semaphore_try_wait, kObject, Outcome::failed),
                        event(2, Operation::semaphore_post)));
}

TEST(Dependence, ClockReadsDependOnTimeoutsWhereverTheyHappen) {
  Event timeout = event(1, Operation::timeout);
  EXPECT_TRUE(dependent(timeout, event(2, Operation::clock_read, 0)));
  EXPECT_TRUE(dependent(timeout, event(2, Operation::timeout, kObject + 1)));
  EXPECT_FALSE(dependent(timeout, event(2, Operation::store, kObject + 1)));
  EXPECT_FALSE(dependent(event(1, Operation::clock_read), event(2, Operation::clock_read)));
}

TEST(Dependence, SignalsAreOneObject) {
  EXPECT_TRUE(depend(Operation::signal_send, Operation::signal_handle));
  EXPECT_TRUE(depend(Operation::signal_send, Operation::signal_send));
  EXPECT_TRUE(depend(Operation::signal_mask, Operation::timer_expire));
  EXPECT_TRUE(depend(Operation::signal_action, Operation::signal_accept));
  EXPECT_FALSE(depend(Operation::signal_pending, Operation::signal_pending));
  EXPECT_TRUE(depend(Operation::signal_pending, Operation::signal_send));
  EXPECT_FALSE(dependent(event(1, Operation::signal_mask), event(2, Operation::store, kObject + 1)));
}

// Its handler may run before anything that a thread does next.
TEST(Dependence, ASignalThatIsSentDependsOnEverything) {
  EXPECT_TRUE(dependent(event(1, Operation::signal_send), event(2, Operation::store, kObject + 1)));
  EXPECT_TRUE(dependent(event(1, Operation::yield), event(2, Operation::signal_send, kObject + 1)));
}

// It is not recorded what a section accesses; the end of a thread is no event.
TEST(Dependence, SectionsAndThreadsEndsDependOnAllThatTouchesAnything) {
  for (Operation operation : {Operation::atomic_section, Operation::try_join, Operation::detach}) {
    EXPECT_TRUE(dependent(event(1, operation), event(2, Operation::load, kObject + 1)));
    EXPECT_TRUE(dependent(event(1, Operation::unlock, kObject + 1), event(2, operation)));
    EXPECT_FALSE(dependent(event(1, operation), event(2, Operation::yield)));
  }
}

TEST(Dependence, TimersReadTheClock) {
  for (Operation operation : {Operation::timer_set, Operation::timer_read}) {
    EXPECT_TRUE(dependent(event(1, operation), event(2, Operation::timeout, kObject + 1)));
    EXPECT_FALSE(dependent(event(1, operation), event(2, Operation::clock_read, kObject + 1)));
  }
  EXPECT_TRUE(dependent(event(1, Operation::timer_expire), event(2, Operation::clock_read, kObject + 1)));
}

TEST(Dependence, ACancelIsSeenByItsThreadsCancellationPoints) {
  Event cancel = event(1, Operation::cancel);
  cancel.value = 2;
  EXPECT_TRUE(dependent(cancel, event(2, Operation::semaphore_wait, kObject + 1)));
  EXPECT_TRUE(dependent(cancel, event(2, Operation::wait_release, kObject + 1)));
  EXPECT_TRUE(dependent(cancel, event(2, Operation::cancel_test)));
  EXPECT_FALSE(dependent(cancel, event(3, Operation::semaphore_wait, kObject + 1)));
  EXPECT_FALSE(dependent(cancel, event(2, Operation::store, kObject + 1)));
  EXPECT_TRUE(dependent(cancel, event(3, Operation::cancel)));
  cancel.operand = 1;  // it may be cancelled anywhere
  EXPECT_TRUE(dependent(cancel, event(2, Operation::store, kObject + 1)));
}

TEST(Dependence, MemoryIsComparedByBytes) {
  Event word = event(1, Operation::store);
  word.size = 4;
  Event byte = event(2, Operation::load, kObject + 3);
  byte.size = 1;
  EXPECT_TRUE(dependent(word, byte));
  byte.object = kObject + 4;
  EXPECT_FALSE(dependent(word, byte));
  byte.object = kObject - 1;
  EXPECT_FALSE(dependent(word, byte));
  byte.size = 2;
  EXPECT_TRUE(dependent(word, byte));
}

// A wait releases and takes a mutex, which other threads lock.
TEST(Dependence, WaitsTouchTheirMutexToo) {
  for (Operation operation : {Operation::wait_release, Operation::wait_reacquire}) {
    Event wait = event(1, operation);
    wait.operand = 2000;
    EXPECT_TRUE(dependent(wait, event(2, Operation::lock, 2000)));
    EXPECT_TRUE(dependent(wait, event(2, Operation::try_lock, 2000, Outcome::failed)));
    EXPECT_FALSE(dependent(wait, event(2, Operation::lock, 3000)));
    Event other = event(2, Operation::wait_release, kObject + 1);
    other.operand = 2000;
    EXPECT_TRUE(dependent(wait, other));
    other.operand = 3000;
    EXPECT_FALSE(dependent(wait, other));
  }
}

}  // namespace
}  // namespace thrum
