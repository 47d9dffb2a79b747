// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/partial_order.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace thrum {
namespace {

using Index = PartialOrder::Index;

Event access(ThreadId thread, Operation operation, std::uint64_t object) {
  Event event;
  event.thread = thread;
  event.operation = operation;
  event.object = object;
  event.size = 4;
  return event;
}

Event store(ThreadId thread, std::uint64_t object) { return access(thread, Operation::store, object); }
Event load(ThreadId thread, std::uint64_t object) { return access(thread, Operation::load, object); }

Event hidden(Operation operation, ThreadId thread, ThreadId other) {
  Event event;
  event.thread = thread;
  event.operation = operation;
  event.argument = other;
  return event;
}

std::vector<Index> rivals(const PartialOrder& order, Index step) {
  std::span<const Index> found = order.rivals(step);
  return {found.begin(), found.end()};
}

TEST(PartialOrder, OrdersWhatDepends) {
  PartialOrder order;
  order.append(store(1, 16));
  order.append(load(2, 16));
  order.append(store(3, 32));
  order.append(load(2, 32));
  EXPECT_TRUE(order.ordered(0, 1));
  EXPECT_FALSE(order.ordered(0, 2));
  EXPECT_TRUE(order.ordered(0, 3)) << "by way of thread 2";
  EXPECT_FALSE(order.causes(0, 1));
  EXPECT_TRUE(order.causes(1, 3));
  EXPECT_EQ(rivals(order, 1), std::vector<Index>{0});
  EXPECT_EQ(rivals(order, 3), std::vector<Index>{2});
}

TEST(PartialOrder, KnowsWhatComesBeforeTheNextStep) {
  PartialOrder order;
  order.append(store(1, 16));
  order.append(store(2, 32));
  order.append(store(3, 48));
  order.append(store(1, 64));
  EXPECT_EQ(order.last_known(1), std::vector<Index>{3});
  order.append(hidden(Operation::thread_join, 1, 2));
  EXPECT_EQ(order.last_known(1), (std::vector<Index>{3, 1}));
  order.append(store(2, 80));
  EXPECT_EQ(order.last_known(1), (std::vector<Index>{3, 1})) << "what comes later it does not know";
  EXPECT_EQ(order.last_known(9), std::vector<Index>{}) << "a thread that has done nothing";
}

TEST(PartialOrder, ARivalBetweenHidesTheOneBefore) {
  PartialOrder order;
  order.append(store(1, 16));
  order.append(store(2, 16));
  order.append(store(3, 16));
  EXPECT_EQ(rivals(order, 2), std::vector<Index>{1});
  PartialOrder reads;
  reads.append(load(1, 16));
  reads.append(load(2, 16));
  reads.append(store(3, 16));
  EXPECT_EQ(rivals(reads, 2), (std::vector<Index>{1, 0}));
}

TEST(PartialOrder, CreationAndJoinCause) {
  PartialOrder order;
  order.append(store(0, 16));
  order.append(hidden(Operation::thread_create, 0, 1));
  order.append(store(1, 16));
  order.append(hidden(Operation::thread_join, 0, 1));
  order.append(load(0, 16));
  EXPECT_EQ(order.size(), 3u);
  EXPECT_TRUE(order.causes(0, 1));
  EXPECT_TRUE(order.causes(1, 2));
  EXPECT_TRUE(rivals(order, 1).empty());
  EXPECT_TRUE(rivals(order, 2).empty());
}

TEST(PartialOrder, TheEndsOfAllOthersCause) {
  PartialOrder order;
  order.append(store(0, 16));
  order.append(hidden(Operation::thread_create, 0, 1));
  order.append(hidden(Operation::thread_create, 0, 2));
  order.append(store(1, 32));
  order.append(store(2, 32));
  order.append(hidden(Operation::others_ended, 0, 0));
  order.append(store(0, 32));
  EXPECT_TRUE(order.causes(1, 3));
  EXPECT_TRUE(order.causes(2, 3));
  EXPECT_TRUE(rivals(order, 3).empty());
}

TEST(PartialOrder, WhoWakesCauses) {
  PartialOrder order;
  Event signal = access(1, Operation::signal, 16);
  Event back = access(2, Operation::wait_reacquire, 16);
  back.woken_by = 1;
  order.append(signal);
  order.append(back);
  EXPECT_TRUE(order.causes(0, 1));
  EXPECT_TRUE(rivals(order, 1).empty());
}

TEST(PartialOrder, AWaitingLoopDependsOnAllThatItLooksAt) {
  PartialOrder order;
  Watched watched{1, 4, 32};
  order.append(store(1, 32));
  order.append(load(2, 16), false, std::span(&watched, 1));
  EXPECT_TRUE(order.ordered(0, 1));
  EXPECT_EQ(order.watches(1).size(), 1u);
  EXPECT_TRUE(order.watches(0).empty());
}

TEST(PartialOrder, ThreadsWithMemoryAreCreatedInOneOrder) {
  auto create = [](ThreadId thread, ThreadId other, std::uint64_t memory) {
    Event event = hidden(Operation::thread_create, thread, other);
    event.object = memory;
    return event;
  };
  for (std::uint64_t memory : {0, 4096}) {
    PartialOrder order;
    order.append(store(1, 16));
    order.append(create(1, 3, memory));
    order.append(store(2, 32));
    order.append(create(2, 4, memory));
    EXPECT_EQ(order.ordered(0, 1), memory != 0);
  }
}

// Steps that are taken back and appended again are unchanged, even if other steps were appended in between.
TEST(PartialOrder, StepsCanBeTakenBack) {
  PartialOrder order;
  order.append(hidden(Operation::thread_create, 0, 1));
  order.append(store(1, 16));
  order.append(hidden(Operation::thread_create, 1, 2));
  order.append(store(2, 16));
  order.append(load(1, 32));
  const std::uint64_t before = order.fingerprint();
  for (Index n : {2, 1, 0}) {
    PartialOrder other = order;
    other.truncate(n);
    other.append(store(9, 16));
    EXPECT_NE(other.fingerprint(), before);
    other.truncate(n);
    if (n < 1) other.append(store(1, 16));
    if (n < 1) other.append(hidden(Operation::thread_create, 1, 2));
    if (n < 2) other.append(store(2, 16));
    other.append(load(1, 32));
    EXPECT_EQ(other.fingerprint(), before) << n;
    EXPECT_TRUE(other.causes(0, 1)) << n;
  }
}

// A random execution: threads are created, do steps, end and are joined.
class AnyEvents {
 public:
  explicit AnyEvents(std::uint32_t seed) : random_(seed) {}

  Event next() {
    while (true) {
      const ThreadId thread = any_of(live_);
      switch (below(6)) {
        case 0:
          if (threads_ == kThreads) continue;
          live_.push_back(threads_);
          return hidden(Operation::thread_create, thread, threads_++);
        case 1:
          if (thread == 0) continue;
          std::erase(live_, thread);
          ended_.push_back(thread);
          continue;
        case 2: {
          if (ended_.empty()) continue;
          const ThreadId other = any_of(ended_);
          std::erase(ended_, other);
          return hidden(Operation::thread_join, thread, other);
        }
        default: {
          Event event = below(2) == 0 ? store(thread, 16 + 4 * below(3)) : load(thread, 16 + 4 * below(3));
          if (below(4) == 0) event.size = 12;  // beyond a word
          return event;
        }
      }
    }
  }
  AnyEvents reseeded(std::uint32_t seed) const {
    AnyEvents other = *this;
    other.random_.seed(seed);
    return other;
  }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  static constexpr ThreadId kThreads = 9;
  ThreadId any_of(const std::vector<ThreadId>& threads) { return threads[below(threads.size())]; }

  std::mt19937 random_;
  std::vector<ThreadId> live_ = {0};
  std::vector<ThreadId> ended_;
  ThreadId threads_ = 1;
};

// The same partial order by sets of steps.
class OrderBySets {
 public:
  void append(const Event& event) {
    if (event.operation == Operation::thread_create)
      return teach(static_cast<ThreadId>(event.argument), event.thread);
    if (event.operation == Operation::thread_join)
      return teach(event.thread, static_cast<ThreadId>(event.argument));
    Steps& known = known_[event.thread];
    causes.push_back(known);
    for (Index i = static_cast<Index>(steps_.size()); i-- > 0;) {
      if (steps_[i].thread == event.thread || known.contains(i) || !dependent(steps_[i], event)) continue;
      known.insert(past[i].begin(), past[i].end());
    }
    known.insert(static_cast<Index>(steps_.size()));
    past.push_back(known);
    steps_.push_back(event);
  }

  using Steps = std::set<Index>;
  std::vector<Steps> past;    // of each step, including itself
  std::vector<Steps> causes;  // without itself

 private:
  void teach(ThreadId thread, ThreadId teacher) {
    const Steps taught = known_[teacher];
    known_[thread].insert(taught.begin(), taught.end());
  }

  std::vector<Event> steps_;
  std::map<ThreadId, Steps> known_;
};

// Steps are taken back and replaced, again and again.
TEST(PartialOrder, IsAsBySets) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    AnyEvents any(seed);
    std::vector<std::pair<AnyEvents, Event>> events;  // and the state before each event
    PartialOrder order;
    for (int round = 0; round < 4; ++round) {
      for (std::uint32_t more = 5 + any.below(20); more-- > 0;) {
        const AnyEvents before = any;
        events.emplace_back(before, any.next());
        order.append(events.back().second);
      }
      OrderBySets sets;
      PartialOrder fresh;
      for (const auto& [before, event] : events) {
        sets.append(event);
        fresh.append(event);
      }
      ASSERT_EQ(order.size(), sets.past.size());
      ASSERT_EQ(order.fingerprint(), fresh.fingerprint());
      for (Index late = 0; late < order.size(); ++late) {
        for (Index early = 0; early < late; ++early) {
          ASSERT_EQ(order.ordered(early, late), sets.past[late].contains(early)) << early << ' ' << late;
          ASSERT_EQ(order.causes(early, late), sets.causes[late].contains(early)) << early << ' ' << late;
        }
      }
      const Index kept = order.size() == 0 ? 0 : any.below(order.size());
      const std::uint32_t seed_after = any.below(1u << 30);
      order.truncate(kept);
      // Hidden events belong to the step before them.
      Index steps = 0;
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (!is_visible(events[i].second.operation) || steps++ < kept) continue;
        any = events[i].first.reseeded(seed_after);
        events.erase(events.begin() + static_cast<std::ptrdiff_t>(i), events.end());
      }
    }
  }
}

TEST(PartialOrder, OneFingerprintForAClass) {
  auto fingerprint = [](std::initializer_list<Event> events) {
    PartialOrder order;
    for (const Event& event : events) order.append(event);
    return order.fingerprint();
  };
  std::uint64_t one = fingerprint({store(1, 16), store(2, 32), load(3, 16)});
  EXPECT_EQ(fingerprint({store(2, 32), store(1, 16), load(3, 16)}), one);
  EXPECT_EQ(fingerprint({store(1, 16), load(3, 16), store(2, 32)}), one);
  EXPECT_NE(fingerprint({load(3, 16), store(1, 16), store(2, 32)}), one);
}

}  // namespace
}  // namespace thrum
