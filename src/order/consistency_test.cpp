// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/consistency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace thrum {
namespace {

using EventNode = Consistency::Node;
using Answer = Consistency::Answer;
constexpr Consistency::Index kInitialValue = Consistency::kNone;
constexpr std::uint64_t kManyCuts = 1'000'000;

EventNode write_by(std::uint32_t thread, std::uint32_t location) {
  return {.thread = thread, .location = location, .writes = true};
}
EventNode read_by(std::uint32_t thread, std::uint32_t location, Consistency::Index source) {
  return {.thread = thread, .location = location, .reads = true, .source = source};
}
EventNode update_by(std::uint32_t thread, std::uint32_t location, Consistency::Index source) {
  return {.thread = thread, .location = location, .reads = true, .writes = true, .source = source};
}

// Whether the order is one of the events, and gives each read its source.
bool is_an_order(const std::vector<EventNode>& events, const std::vector<Consistency::Index>& order) {
  std::vector<bool> done(events.size());
  std::map<std::uint32_t, Consistency::Index> last;
  std::map<std::uint32_t, Consistency::Index> last_of_thread;
  if (order.size() != events.size()) return false;
  for (const Consistency::Index i : order) {
    const EventNode& event = events[i];
    if (done[i]) return false;
    for (const Consistency::Index cause : event.causes) {
      if (!done[cause]) return false;
    }
    if (auto before = last_of_thread.find(event.thread); before != last_of_thread.end() && before->second > i)
      return false;
    last_of_thread[event.thread] = i;
    if (event.reads) {
      const auto source = last.find(event.location);
      if ((source == last.end() ? kInitialValue : source->second) != event.source) return false;
    }
    if (event.writes) last[event.location] = i;
    done[i] = true;
  }
  return true;
}

// By trying every interleaving.
bool has_an_order(const std::vector<EventNode>& events, std::vector<Consistency::Index>& order) {
  if (is_an_order(events, order)) return true;
  std::map<std::uint32_t, bool> tried;
  for (Consistency::Index i = 0; i < events.size(); ++i) {
    if (std::find(order.begin(), order.end(), i) != order.end()) continue;
    if (tried[events[i].thread]) continue;
    tried[events[i].thread] = true;
    order.push_back(i);
    if (has_an_order(events, order)) return true;
    order.pop_back();
  }
  return false;
}

Answer answer_to(const std::vector<EventNode>& events) {
  Consistency consistency;
  const Answer answer = consistency.check(events, kManyCuts);
  EXPECT_EQ(answer == Answer::ordered, is_an_order(events, consistency.order()));
  return answer;
}

TEST(Consistency, OrdersNothing) { EXPECT_EQ(answer_to({}), Answer::ordered); }

TEST(Consistency, PutsAStoreBehindTheLoadOfTheInitialValue) {
  EXPECT_EQ(answer_to({write_by(0, 0), read_by(1, 0, kInitialValue)}), Answer::ordered);
  EXPECT_EQ(answer_to({write_by(0, 0), read_by(0, 0, kInitialValue)}), Answer::impossible);
}

// Store buffering: both loads read the initial value, which no order gives.
TEST(Consistency, RefusesStoreBuffering) {
  EXPECT_EQ(
      answer_to({write_by(0, 0), read_by(0, 1, kInitialValue), write_by(1, 1), read_by(1, 0, kInitialValue)}),
      Answer::impossible);
  EXPECT_EQ(answer_to({write_by(0, 0), read_by(0, 1, kInitialValue), write_by(1, 1), read_by(1, 0, 0)}),
            Answer::ordered);
}

// Two readers see two stores in different orders.
TEST(Consistency, RefusesTwoOrdersOfStores) {
  EXPECT_EQ(answer_to({write_by(0, 0), write_by(1, 0), read_by(2, 0, 0), read_by(2, 0, 1), read_by(3, 0, 1),
                       read_by(3, 0, 0)}),
            Answer::impossible);
  EXPECT_EQ(answer_to({write_by(0, 0), write_by(1, 0), read_by(2, 0, 0), read_by(2, 0, 1), read_by(3, 0, 0),
                       read_by(3, 0, 1)}),
            Answer::ordered);
}

TEST(Consistency, LetsOneUpdateReadEachWrite) {
  EXPECT_EQ(answer_to({update_by(0, 0, kInitialValue), update_by(1, 0, kInitialValue)}), Answer::impossible);
  EXPECT_EQ(answer_to({update_by(0, 0, kInitialValue), update_by(1, 0, 0), update_by(2, 0, 1)}),
            Answer::ordered);
}

TEST(Consistency, KeepsCauses) {
  std::vector<EventNode> events{write_by(0, 0), read_by(1, 0, kInitialValue)};
  events[1].causes = {0};
  EXPECT_EQ(answer_to(events), Answer::impossible);
}

// Events of a program that was run at random, and then perhaps one source that is another.
std::vector<EventNode> random_events(std::mt19937_64& random) {
  auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<EventNode> events;
  std::map<std::uint32_t, Consistency::Index> last;
  const std::uint32_t threads = 2 + below(3);
  for (std::uint32_t i = 0, size = 4 + below(5); i < size; ++i) {
    EventNode event{.thread = below(threads), .location = below(2)};
    const std::uint32_t kind = below(5);
    event.reads = kind >= 2;
    event.writes = kind < 2 || kind == 4;
    if (event.reads && last.contains(event.location)) event.source = last[event.location];
    if (event.writes) last[event.location] = i;
    events.push_back(event);
  }
  for (EventNode& event : events) {
    if (!event.reads || below(3) != 0) continue;
    const std::uint32_t other = below(events.size());
    const bool fits =
        events[other].writes && events[other].location == event.location && &events[other] != &event;
    event.source = fits ? other : kInitialValue;
  }
  return events;
}

TEST(Consistency, AgreesWithAllInterleavings) {
  std::mt19937_64 random(1);
  int possible = 0;
  constexpr int kSets = 4'000;
  for (int i = 0; i < kSets; ++i) {
    const std::vector<EventNode> events = random_events(random);
    std::vector<Consistency::Index> order;
    const bool expected = has_an_order(events, order);
    possible += expected ? 1 : 0;
    ASSERT_EQ(answer_to(events), expected ? Answer::ordered : Answer::impossible) << "set " << i;
  }
  EXPECT_GT(possible, kSets / 4);
  EXPECT_LT(possible, kSets * 3 / 4);
}

TEST(Consistency, GivesUp) {
  Consistency consistency;
  const std::vector<EventNode> events{write_by(0, 0), write_by(1, 0), write_by(2, 0)};
  EXPECT_EQ(consistency.check(events, 1), Answer::undecided);
  EXPECT_EQ(consistency.check(events, 2), Answer::ordered);
}

}  // namespace
}  // namespace thrum
