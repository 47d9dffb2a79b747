// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/reversals.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

using Index = PartialOrder::Index;

struct Done {
  ThreadId thread;
  Operation operation;
  std::uint64_t object = 16;
  std::uint64_t value = 0;
  Outcome outcome = Outcome::done;
};

PartialOrder order_of(std::initializer_list<Done> steps) {
  PartialOrder order;
  for (const Done& done : steps) {
    Event event;
    event.thread = done.thread;
    event.operation = done.operation;
    event.object = done.object;
    event.value = done.value;
    event.outcome = done.outcome;
    event.size = done.operation <= Operation::compare_exchange ? 4 : 0;
    order.append(event);
  }
  return order;
}

// The reversal of the last step with its latest rival.
Reversal last_reversal(const PartialOrder& order) {
  Index late = order.size() - 1;
  return reversal(order, late, order.rivals(late)[0]);
}

using enum Operation;

TEST(Reversal, OfMemoryIsBeforeTheRival) {
  Reversal found = last_reversal(order_of({{1, store}, {2, load}}));
  EXPECT_EQ(found.before, 0u);
  EXPECT_TRUE(found.certain);
}

TEST(Reversal, OfALockIsBeforeItWasTaken) {
  EXPECT_EQ(last_reversal(order_of({{1, lock}, {1, unlock}, {2, lock}})).before, 0u);
  EXPECT_EQ(last_reversal(order_of({{3, lock}, {3, unlock}, {1, lock}, {1, unlock}, {2, lock}})).before, 2u);
  // The holder has taken it twice.
  EXPECT_EQ(last_reversal(order_of({{1, lock}, {1, lock}, {1, unlock}, {1, unlock}, {2, lock}})).before, 0u);
}

TEST(Reversal, OfALockIsNowhereWhereTheSectionCausesIt) {
  // Thread 2 takes its lock after what thread 1 did in its critical section.
  PartialOrder order = order_of({{1, lock}, {1, store, 32}, {2, load, 32}, {1, unlock}, {2, lock}});
  EXPECT_EQ(last_reversal(order).before, PartialOrder::kNone);
}

TEST(Reversal, OfASharedLockIsNotCertain) {
  EXPECT_FALSE(last_reversal(order_of({{1, shared_lock}, {1, shared_unlock}, {2, lock}})).certain);
  EXPECT_FALSE(last_reversal(order_of({{1, lock}, {1, unlock}, {2, shared_lock}})).certain);
}

TEST(Reversal, OfASemaphoreIsBeforeItsCountWasUsedUp) {
  // The count is 1 at first: thread 2 could have waited before thread 1.
  PartialOrder order =
      order_of({{1, semaphore_wait, 16, 0}, {1, semaphore_post, 16, 1}, {2, semaphore_wait}});
  EXPECT_EQ(last_reversal(order).before, 0u);
  // The count is 0 at first: thread 2 needs one of the posts, but no particular one.
  order = order_of({{1, semaphore_post, 16, 1}, {3, semaphore_post, 16, 2}, {2, semaphore_wait, 16, 1}});
  EXPECT_EQ(reversal(order, 2, 1).before, 1u);
  EXPECT_EQ(reversal(order, 2, 0).before, 0u);
  order = order_of({{1, semaphore_post, 16, 1}, {2, semaphore_wait, 16, 0}});
  EXPECT_EQ(last_reversal(order).before, PartialOrder::kNone);
}

TEST(Reversal, OfWhoWaitsInVain) {
  PartialOrder order = order_of({{1, lock}, {1, store, 32}, {2, lock}});
  EXPECT_EQ(reversal_of_blocked(order, 2).before, 0u);
  order = order_of({{1, semaphore_wait, 16, 0}, {2, semaphore_wait}});
  EXPECT_EQ(reversal_of_blocked(order, 1).before, 0u);
  order = order_of({{1, store, 32}, {2, lock}});
  EXPECT_EQ(reversal_of_blocked(order, 1).before, PartialOrder::kNone);
}

TEST(Reversal, OfAWaitingLoopNeedsSomebodyElse) {
  auto loop_behind = [](int writers) {
    PartialOrder order;
    Event write;
    write.operation = store;
    write.size = 4;
    for (int i = 0; i < writers; ++i) {
      write.thread = static_cast<ThreadId>(2 + i);
      write.object = 16 + 16 * static_cast<std::uint64_t>(i);
      order.append(write);
    }
    Event read;
    read.thread = 1;
    read.object = 16;
    read.size = 4;
    Watched watches[] = {{0, 4, 16}, {0, 4, 32}};
    order.append(read, false, watches);
    return order;
  };
  PartialOrder one = loop_behind(1);
  EXPECT_EQ(reversal(one, 1, 0).before, PartialOrder::kNone);
  PartialOrder two = loop_behind(2);
  EXPECT_EQ(reversal(two, 2, 0).before, 0u);
  EXPECT_EQ(reversal(two, 2, 1).before, 1u);
}

TEST(Reversal, TellsHowAnOperationWouldEnd) {
  PartialOrder order;
  Event write;
  write.thread = 1;
  write.operation = store;
  write.object = 16;
  write.size = 4;
  write.value = 0;
  write.operand = 7;
  order.append(write);
  Event exchange = write;
  exchange.thread = 2;
  exchange.operation = compare_exchange;
  exchange.value = 7;
  exchange.argument = 7;
  exchange.operand = 9;
  order.append(exchange);
  EXPECT_EQ(as_reversed(order, 1, 0).outcome, Outcome::failed);
  order.truncate(1);
  exchange.argument = 0;
  exchange.outcome = Outcome::failed;
  order.append(exchange);
  EXPECT_EQ(as_reversed(order, 1, 0).outcome, Outcome::done);
  PartialOrder locks = order_of({{1, lock}, {1, unlock}, {2, try_lock}});
  EXPECT_EQ(as_reversed(locks, 2, 1).outcome, Outcome::failed);
}

}  // namespace
}  // namespace thrum
