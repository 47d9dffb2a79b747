// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "support/number_set.hpp"

namespace thrum {
namespace {

Event store(ThreadId thread, std::uint64_t object, std::uint32_t index = 0) {
  Event event;
  event.thread = thread;
  event.operation = Operation::store;
  event.object = object;
  event.index = index;
  event.size = 4;
  return event;
}

Trace trace_of(std::vector<Event> events, std::uint32_t cost = 0) {
  Trace trace;
  trace.events = std::move(events);
  trace.cost = cost;
  return trace;
}

TEST(ClassCounter, OrdersOfIndependentStepsAreOneClass) {
  ClassCounter counter;
  EXPECT_TRUE(counter.take(trace_of({store(1, 8), store(2, 16)})));
  EXPECT_FALSE(counter.take(trace_of({store(2, 16), store(1, 8)})));
  EXPECT_TRUE(counter.take(trace_of({store(1, 8), store(2, 8)})));
  EXPECT_TRUE(counter.take(trace_of({store(2, 8), store(1, 8)})));
  EXPECT_EQ(counter.count(), 3u);
}

// A common beginning of executions is not read again; the result must be the same.
TEST(ClassCounter, CommonBeginningsMakeNoDifference) {
  std::vector<std::vector<Event>> executions;
  std::vector<Event> all = {store(1, 8), store(1, 16, 1), store(2, 8), store(2, 24, 1), store(3, 16)};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  do {
    std::vector<Event> events;
    for (std::size_t i : order) events.push_back(all[i]);
    executions.push_back(events);
  } while (std::next_permutation(order.begin(), order.end()));
  ClassCounter together;
  NumberSet alone;
  for (const auto& events : executions) {
    PartialOrder whole;
    for (const Event& event : events) whole.append(event);
    EXPECT_EQ(together.take(trace_of(events)), alone.insert(whole.fingerprint()));
  }
  EXPECT_EQ(together.count(), alone.size());
}

TEST(ClassCounter, ExecutionsThatWereCutOffHaveNone) {
  ClassCounter counter;
  for (End end : {End::steps, End::stopped, End::assumption, End::bug}) {
    Trace trace = trace_of({store(1, 8)});
    trace.end = end;
    trace.failure.kind = BugKind::assertion;
    EXPECT_FALSE(counter.take(trace));
  }
  Trace deadlock = trace_of({store(1, 8)});
  deadlock.end = End::bug;
  deadlock.failure.kind = BugKind::deadlock;
  EXPECT_TRUE(counter.take(deadlock));
  EXPECT_EQ(counter.count(), 1u);
}

TEST(ClassCounter, TooManyAreNotCounted) {
  ClassCounter counter(2);
  for (std::uint64_t object = 8; object <= 16; object += 8)
    EXPECT_TRUE(counter.take(trace_of({store(1, object)})));
  EXPECT_EQ(counter.count(), 2u);
  EXPECT_FALSE(counter.take(trace_of({store(1, 24)})));
  EXPECT_EQ(counter.count(), std::nullopt);
}

PartialOrder order_of(std::uint64_t object) {
  PartialOrder order;
  order.append(store(1, object));
  return order;
}

// Beyond the limit, executions of different classes are counted, as long as they are known to be.
TEST(ClassCounter, CountsWithoutFingerprintsWhereNoneComesTwice) {
  auto counter = std::make_unique<ClassCounter>(3);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    counter->expect(order_of(8 * i), true);
    EXPECT_TRUE(counter->settle());
    EXPECT_EQ(counter->count(), i);
    EXPECT_EQ(counter->memory().empty(), i > 3);
    ByteWriter out;
    counter->save(out);
    counter = std::make_unique<ClassCounter>(3);
    ByteReader in(out.bytes());
    counter->load(in);
    EXPECT_TRUE(in.ok() && in.at_end());
  }
  counter->expect(order_of(800), false);
  EXPECT_FALSE(counter->settle());
  EXPECT_EQ(counter->count(), std::nullopt);
}

TEST(ClassCounter, CountsWithoutFingerprintsAreNotAdded) {
  ClassCounter without(1);
  ClassCounter with(10);
  for (std::uint64_t i = 1; i <= 2; ++i) {
    for (ClassCounter* counter : {&without, &with}) {
      counter->expect(order_of(8 * i), true);
      counter->settle();
    }
  }
  ClassCounter both = with;
  EXPECT_EQ(both.merge(with), 2u);
  EXPECT_EQ(both.count(), 2u);
  EXPECT_EQ(both.merge(without), 0u);
  EXPECT_EQ(both.count(), std::nullopt) << "which classes both have seen is not known";
}

// Executions 0, 1, ... of costs 0, 1, 2, 0, ..., one each second.
Statistics keep(std::uint64_t executions, bool counts, std::size_t classes_max = 1000) {
  StatisticsKeeper keeper(classes_max);
  for (std::uint64_t i = 0; i < executions; ++i) {
    Trace trace = trace_of({store(1, 8 * (i / 2))}, static_cast<std::uint32_t>(i % 3));
    if (keeper.take({}, trace, nullptr, counts)) keeper.point(static_cast<double>(i + 1));
  }
  return keeper.result(static_cast<double>(executions), false);
}

TEST(Statistics, CountByCost) {
  Statistics statistics = keep(10, true);
  ASSERT_EQ(statistics.levels.size(), 3u);
  EXPECT_EQ(statistics.levels[0].executions, 4u);
  EXPECT_EQ(statistics.levels[1].executions, 3u);
  EXPECT_EQ(statistics.classes, 5u);
  EXPECT_EQ(statistics.levels[0].classes + statistics.levels[1].classes + statistics.levels[2].classes, 5u);
}

TEST(Statistics, GrowthHasFewPoints) {
  constexpr std::uint64_t kExecutions = 1'000'000;
  Statistics statistics = keep(kExecutions, false);
  EXPECT_LT(statistics.growth.size(), 90u);
  EXPECT_EQ(statistics.growth.front().executions, 1u);
  EXPECT_EQ(statistics.growth.back().executions, kExecutions);
  for (std::size_t i = 1; i < statistics.growth.size(); ++i) {
    EXPECT_GT(statistics.growth[i].executions, statistics.growth[i - 1].executions);
    EXPECT_LE(statistics.growth[i].executions, statistics.growth[i - 1].executions * 6 / 5 + 1);
  }
  EXPECT_FALSE(statistics.classes) << "nobody asked";
}

TEST(Statistics, AreSilentOfClassesThatAreTooMany) {
  Statistics statistics = keep(10, true, 3);
  EXPECT_FALSE(statistics.classes);
  for (const LevelCount& level : statistics.levels) EXPECT_EQ(level.classes, 0u);
  for (const GrowthPoint& point : statistics.growth) EXPECT_GT(point.classes, 0u) << point.executions;
  EXPECT_EQ(statistics.growth.back().classes, 3u);
}

TEST(Statistics, SayWhenACostWasDone) {
  StatisticsKeeper keeper;
  for (std::uint32_t cost = 0; cost < 3; ++cost) {
    EXPECT_TRUE(keeper.is_dearest({}, trace_of({}, cost)));
    keeper.complete_below(cost, 10 * cost);
    keeper.take({}, trace_of({}, cost), nullptr, false);
    EXPECT_FALSE(keeper.is_dearest({}, trace_of({}, cost)));
  }
  Statistics statistics = keeper.result(30, false);
  EXPECT_EQ(statistics.levels[0].completed, 10);
  EXPECT_EQ(statistics.levels[1].completed, 20);
  EXPECT_EQ(statistics.levels[2].completed, std::nullopt);
}

TEST(Statistics, CountWhatWasBeforeASearchBeganAgainApart) {
  StatisticsKeeper keeper;
  keeper.take({}, trace_of({store(1, 8)}), nullptr, true);
  keeper.take_bug();
  Trace in_vain = trace_of({}, 1);
  in_vain.end = End::waiting;
  keeper.take({}, in_vain, nullptr, true);
  keeper.begin_again();
  keeper.take({}, trace_of({store(1, 8)}), nullptr, true);
  keeper.take({}, trace_of({store(1, 16)}), nullptr, true);
  const Statistics statistics = keeper.result(1, false);
  EXPECT_EQ(statistics.before, 2u);
  EXPECT_EQ(statistics.waited, 0u);
  EXPECT_EQ(statistics.classes, 2u);
  ASSERT_EQ(statistics.levels.size(), 1u);
  EXPECT_EQ(statistics.levels[0].executions, 2u);
  EXPECT_EQ(statistics.levels[0].classes, 2u);
  EXPECT_EQ(statistics.levels[0].bugs, 1u);
  ASSERT_FALSE(statistics.growth.empty());
  EXPECT_EQ(statistics.growth.back().executions, 2u);
}

// A search that goes on in another process counts as if it had never been saved.
TEST(Statistics, ArePutDownAndTakenUp) {
  auto count = [](bool forgets, std::uint32_t down_after) {
    auto keeper = std::make_unique<StatisticsKeeper>();
    for (std::uint32_t i = 0; i < 40; ++i) {
      if (i == down_after) {
        ByteWriter out;
        keeper->save(out);
        keeper = std::make_unique<StatisticsKeeper>();
        ByteReader in(out.bytes());
        keeper->load(in);
        EXPECT_TRUE(in.ok() && in.at_end());
        if (forgets) keeper->forget_classes();
      }
      const Trace trace = trace_of({store(1, i % 7 + 1), store(2, 1)}, i / 10);
      if (keeper->is_dearest({}, trace)) keeper->complete_below(i / 10, i);
      keeper->take_local_states(trace_of({store(1, i % 2 == 0 ? 8 : 16), store(2, 8)}), false);
      if (keeper->take({}, trace, nullptr, true)) keeper->point(i);
      if (i % 15 == 14) keeper->take_bug();
    }
    return keeper->result(40, false);
  };
  const Statistics once = count(false, 100);
  EXPECT_EQ(once.classes, 7u);
  ASSERT_TRUE(once.local_states);
  EXPECT_EQ(once.local_states->count, 3u) << "two stores, the latter also behind the former";
  for (std::uint32_t down_after : {1u, 17u, 39u}) {
    const Statistics twice = count(false, down_after);
    EXPECT_EQ(twice.classes, once.classes);
    ASSERT_EQ(twice.levels.size(), once.levels.size());
    for (std::size_t i = 0; i < once.levels.size(); ++i) {
      EXPECT_EQ(twice.levels[i].executions, once.levels[i].executions);
      EXPECT_EQ(twice.levels[i].classes, once.levels[i].classes);
      EXPECT_EQ(twice.levels[i].bugs, once.levels[i].bugs);
      EXPECT_EQ(twice.levels[i].completed, once.levels[i].completed);
    }
    ASSERT_EQ(twice.growth.size(), once.growth.size());
    for (std::size_t i = 0; i < once.growth.size(); ++i) {
      EXPECT_EQ(twice.growth[i].executions, once.growth[i].executions);
      EXPECT_EQ(twice.growth[i].classes, once.growth[i].classes);
      EXPECT_EQ(twice.growth[i].seconds, once.growth[i].seconds);
      EXPECT_EQ(twice.growth[i].local_states.late, once.growth[i].local_states.late);
    }
    EXPECT_EQ(count(true, down_after).classes, std::nullopt) << "of two numberings of objects";
  }
}

// Where two workers have met the same states, earlier points are too high.
TEST(Statistics, LocalStatesOfWorkersGrowTogether) {
  StatisticsKeeper all;
  StatisticsKeeper part;
  for (StatisticsKeeper* keeper : {&all, &part}) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const Trace trace = trace_of({store(0, 8, static_cast<std::uint32_t>(i)), store(1, 8)});
      keeper->take_local_states(trace, false);
      if (keeper->take({}, trace, nullptr, false)) keeper->point(static_cast<double>(i));
    }
  }
  all.merge(part);
  const Statistics statistics = all.result(40, false);
  ASSERT_TRUE(statistics.local_states);
  EXPECT_EQ(statistics.local_states->count, 2u);
  EXPECT_EQ(statistics.local_states->last_new, 1u);
  for (const GrowthPoint& point : statistics.growth) EXPECT_LE(point.local_states.late, 2u);
}

}  // namespace
}  // namespace thrum
