// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/local_states.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace thrum {
namespace {

class Execution {
 public:
  Execution& add(ThreadId thread, Operation operation, std::uint64_t object = 0, std::uint64_t argument = 0) {
    Event event;
    event.thread = thread;
    event.operation = operation;
    event.object = object;
    event.argument = argument;
    event.size = 4;
    trace.events.push_back(event);
    return *this;
  }
  Execution& creates(ThreadId thread, ThreadId created) {
    return add(thread, Operation::thread_create, 0, created);
  }
  Execution& joins(ThreadId thread, ThreadId joined) {
    return add(thread, Operation::thread_join, 0, joined);
  }
  Execution& stores(ThreadId thread, std::uint64_t object) { return add(thread, Operation::store, object); }
  Execution& loads(ThreadId thread, std::uint64_t object) { return add(thread, Operation::load, object); }
  Execution& ends() { return add(kMainThread, Operation::process_exit); }
  Execution& accesses(ThreadId thread, std::uint64_t object, bool writes) {
    RecordedAccess access;
    access.event = static_cast<std::uint32_t>(trace.events.size());
    access.thread = thread;
    access.object = object;
    access.size = 4;
    access.writes = writes;
    trace.accesses.push_back(access);
    return *this;
  }

  Trace trace;
};

constexpr std::uint64_t kX = 64;
constexpr std::uint64_t kY = 128;

// A store and a load of x in both orders, and whatever main does behind its joins.
template <typename Behind>
std::uint64_t count_both_orders(Behind behind) {
  LocalStates states;
  for (const bool store_first : {false, true}) {
    Execution one;
    one.creates(0, 1).creates(0, 2);
    if (store_first) one.stores(1, kX).loads(2, kX);
    if (!store_first) one.loads(2, kX).stores(1, kX);
    one.accesses(1, kY, true).joins(0, 1).joins(0, 2);
    behind(one);
    one.ends();
    states.take(one.trace);
  }
  return states.result().count;
}

TEST(LocalStates, AreStepsWithWhatTheyHaveRead) {
  EXPECT_EQ(count_both_orders([](Execution&) {}), 4u) << "a store, two loads, and the end";
}

TEST(LocalStates, JoinsTellWhereTheirThreadGoesOnWithWhatOthersDid) {
  EXPECT_EQ(count_both_orders([](Execution& one) { one.loads(0, kX); }), 3u + 4u) << "a load, an end; twice";
  EXPECT_EQ(count_both_orders([](Execution& one) { one.accesses(0, kY, false); }), 3u + 2u);
  EXPECT_EQ(count_both_orders([](Execution& one) { one.creates(0, 3); }), 3u + 2u);
  EXPECT_EQ(count_both_orders([](Execution& one) { one.accesses(0, kY, true); }), 4u) << "it only writes";
  EXPECT_EQ(count_both_orders([](Execution& one) { one.accesses(0, kY + 4, false); }), 4u) << "beside it";
}

TEST(LocalStates, AStoreOverwritesWhatWasThere) {
  LocalStates states;
  states.take(Execution().creates(0, 1).creates(0, 2).stores(1, kX).stores(2, kX).trace);
  EXPECT_EQ(states.result().count, 2u);
  states.take(Execution().creates(0, 1).creates(0, 2).stores(2, kX).stores(1, kX).trace);
  EXPECT_EQ(states.result().count, 4u);
  EXPECT_EQ(states.result().last_new, 2u);
}

TEST(LocalStates, DoNotDependOnWhatHappensElsewhere) {
  LocalStates states;
  Execution begin;
  begin.creates(0, 1).creates(0, 2);
  std::vector<int> order = {1, 2, 3, 4};  // two steps of each
  do {
    if (order[0] > order[1] || order[2] > order[3]) continue;
    Execution one = begin;
    for (int at = 1; at <= 4; ++at) {
      const auto step = std::find(order.begin(), order.end(), at) - order.begin();
      const ThreadId thread = step < 2 ? 1 : 2;
      one.stores(thread, thread == 1 ? kX : kY);
    }
    states.take(one.trace);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(states.result().count, 4u);
  EXPECT_EQ(states.result().last_new, 1u);
}

TEST(LocalStates, ThreadsHaveNamesThatNumbersDoNotChange) {
  LocalStates states;
  states.take(Execution().creates(0, 1).creates(0, 2).stores(1, kX).trace);
  states.take(Execution().creates(0, 2).creates(0, 1).stores(2, kX).trace);
  EXPECT_EQ(states.result().count, 1u);
}

TEST(LocalStates, OfTwoWorkersAreTheUnion) {
  LocalStates all;
  LocalStates part;
  LocalStates same;
  all.take(Execution().creates(0, 1).stores(1, kX).trace);
  part.take(Execution().creates(0, 1).stores(1, kX).trace);
  part.take(Execution().creates(0, 1).stores(1, kX).loads(1, kX).trace);
  same.take(Execution().creates(0, 1).stores(1, kX).trace);
  all.merge(part);
  EXPECT_EQ(all.result().count, 2u);
  EXPECT_EQ(all.result().last_new, 3u) << "as if one had run all";
  all.merge(same);
  EXPECT_EQ(all.result().last_new, 3u);
}

TEST(LocalStates, AreSaved) {
  LocalStates states;
  states.take(Execution().creates(0, 1).stores(1, kX).joins(0, 1).loads(0, kX).trace);
  ByteWriter out;
  states.save(out);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  LocalStates again;
  again.load(in);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(again.result().count, 2u);
  again.take(Execution().creates(0, 1).stores(1, kX).joins(0, 1).loads(0, kX).trace);
  EXPECT_EQ(again.result().count, 2u);
  EXPECT_EQ(again.result().last_new, 1u);
}

// Before the wait nothing says that the condition variable and the mutex belong together.
TEST(LocalStates, BeginAgainWhereObjectsBecomeOne) {
  LocalStates states;
  Execution one;
  one.creates(0, 1).add(1, Operation::lock, kX).add(0, Operation::signal, kY);
  states.take(one.trace);
  EXPECT_EQ(states.result().count, 2u);
  one.trace.events.resize(1);
  one.add(1, Operation::lock, kX).add(1, Operation::wait_release, kY);
  one.trace.events.back().operand = kX;
  states.take(one.trace);
  EXPECT_EQ(states.result().count, 2u);
  EXPECT_EQ(states.result().last_new, 2u);
}

TEST(LocalStates, OfManyAreAnEstimate) {
  LocalStates states(10);
  Execution one;
  one.creates(0, 1);
  for (int i = 0; i < 1000; ++i) one.stores(1, kX);
  states.take(one.trace);
  EXPECT_FALSE(states.result().is_exact);
  EXPECT_NEAR(static_cast<double>(states.result().count), 1000, 30);
}

}  // namespace
}  // namespace thrum
