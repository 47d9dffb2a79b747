// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/wakeup_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace thrum {
namespace {

Event store(ThreadId thread, std::uint64_t object) {
  Event event;
  event.thread = thread;
  event.operation = Operation::store;
  event.object = object;
  event.size = 4;
  return event;
}

PlannedStep step_of(const Event& event) { return {{{event.thread, Via::run}, 0}, event}; }

// A reversal to be inserted after an execution: the steps in turn, of which the one at that place is turned
// round and needs those of `needed`.
class Put {
 public:
  Put(std::vector<Event> events, std::size_t turned, std::vector<std::size_t> needed = {})
      : events_(std::move(events)) {
    for (const Event& event : events_) order_.append(event);
    sequence_.begin(order_);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const StepView step({{events_[i].thread, Via::run}, 0}, events_[i]);
      if (i == turned) {
        sequence_.add_reversed(step);
      } else {
        const bool is_needed = std::find(needed.begin(), needed.end(), i) != needed.end();
        sequence_.add(step, static_cast<PartialOrder::Index>(i), is_needed);
      }
    }
  }
  Sequence& sequence() { return sequence_; }

 private:
  std::vector<Event> events_;
  PartialOrder order_;
  Sequence sequence_;
};

// The threads in turn, what goes on in several ways in brackets.
std::string print(const WakeupTrees& trees, const WakeupTrees::Branches& branches) {
  std::string text;
  for (auto node = branches.first; node != WakeupTrees::kNone; node = trees.next(node)) {
    const std::string one = std::to_string(trees.step(node).event.thread) + print(trees, trees.below(node));
    text += trees.next(branches.first) == WakeupTrees::kNone ? one : "(" + one + ")";
  }
  return text;
}

constexpr std::uint64_t kX = 16;
constexpr std::uint64_t kY = 32;
constexpr std::uint64_t kZ = 48;

class WakeupTreesTest : public ::testing::Test {
 protected:
  bool insert(Put put) { return trees_.insert(branches_, put.sequence()); }
  std::string tree() const { return print(trees_, branches_); }

  WakeupTrees trees_;
  WakeupTrees::Branches branches_;
};

TEST_F(WakeupTreesTest, StandsForAllThatBeginsAsItDoes) {
  EXPECT_TRUE(insert(Put({store(1, kX), store(2, kX), store(3, kY)}, 1, {0})));
  EXPECT_EQ(tree(), "123");
  EXPECT_TRUE(insert(Put({store(1, kX), store(2, kX), store(3, kY), store(4, kZ)}, 1, {0})))
      << "a leaf stands for what follows";
  EXPECT_EQ(tree(), "123");
  EXPECT_TRUE(insert(Put({store(2, kX), store(3, kY)}, 0))) << "1 and 2 store to the same";
  EXPECT_EQ(tree(), "(123)(23)");
}

TEST_F(WakeupTreesTest, SaysWhereWhatStandsForASequenceIsNoneOfWhatAllHaveInCommon) {
  EXPECT_TRUE(insert(Put({store(1, kX)}, 0)));
  EXPECT_FALSE(insert(Put({store(2, kY)}, 0))) << "1 merely commutes with it";
  EXPECT_EQ(tree(), "1");
  EXPECT_FALSE(insert(Put({store(2, kY), store(1, kX)}, 0))) << "1 comes behind the race";
  EXPECT_EQ(tree(), "1");
}

TEST_F(WakeupTreesTest, SaysWhereAnotherTailMightGoElsewhere) {
  EXPECT_TRUE(insert(Put({store(1, kX)}, 0)));
  EXPECT_FALSE(insert(Put({store(2, kY), store(3, kX)}, 0))) << "1 could come first, were 3 not there";
  EXPECT_EQ(tree(), "(1)(23)");
  EXPECT_TRUE(insert(Put({store(4, kY), store(5, kX)}, 1))) << "neither can";
  EXPECT_EQ(tree(), "(1)(23)(45)");
}

TEST_F(WakeupTreesTest, BringsABranchToTheFront) {
  for (ThreadId thread : {ThreadId{1}, ThreadId{2}, ThreadId{3}})
    trees_.add_last(branches_, step_of(store(thread, kX)));
  trees_.bring_first(branches_, step_of(store(3, kX)).step);
  EXPECT_EQ(tree(), "(3)(1)(2)");
  trees_.bring_first(branches_, step_of(store(4, kX)).step);
  EXPECT_EQ(tree(), "(3)(1)(2)");
  trees_.add_last(branches_, step_of(store(5, kX)));
  EXPECT_EQ(tree(), "(3)(1)(2)(5)");
}

TEST_F(WakeupTreesTest, DropsWhatSleepsButNotWhatOthersWereLeftTo) {
  EXPECT_TRUE(insert(Put({store(1, kX), store(2, kY), store(3, kZ)}, 1, {0})));
  EXPECT_TRUE(insert(Put({store(3, kX), store(2, kY)}, 1, {0})));
  EXPECT_EQ(tree(), "(123)(32)");
  PlannedStep sleeper = step_of(store(3, kZ));
  trees_.drop_asleep(branches_, sleeper);
  EXPECT_EQ(tree(), "12") << "3 is behind the race of the first, and before that of the second";
  sleeper = step_of(store(2, kY));
  trees_.drop_asleep(branches_, sleeper);
  EXPECT_EQ(tree(), "");
  EXPECT_EQ(trees_.live(), 0u);
}

// All subsets of N steps that depend on nothing, each with what happens behind them.
TEST(SharedTrees, AreSmallWhereWhatFollowsIsAlike) {
  constexpr ThreadId kThreads = 10;
  WakeupTrees trees;
  trees.share_above(0);
  WakeupTrees::Branches branches;
  for (unsigned subset = 0; subset < 1u << kThreads; ++subset) {
    std::vector<Event> events;
    // The first step of each thread depends on all; which value it writes says whether the thread is chosen.
    for (ThreadId thread = 1; thread <= kThreads; ++thread)
      events.push_back(store(thread, (subset >> (thread - 1) & 1) != 0 ? kX : kX + 1));
    PartialOrder order;
    for (const Event& event : events) order.append(event);
    Sequence sequence;
    sequence.begin(order);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const StepView step({{{events[i].thread, Via::run}, subset >> i & 1}}, events[i]);
      sequence.add(step, static_cast<PartialOrder::Index>(i), true);
    }
    trees.insert(branches, sequence);
  }
  EXPECT_GT(trees.live(), 1u << kThreads);
  const std::string whole = print(trees, branches);
  trees.share();
  EXPECT_EQ(print(trees, branches), whole);
  EXPECT_LE(trees.live(), 2u * kThreads);
  trees.clear(branches);
  EXPECT_EQ(trees.live(), 0u);
}

// What was done to a tree is done to one that is shared before, and again and again; several trees lie in
// each pool, and are moved to another one.
class Twins {
 public:
  Twins() { pools_[1].share_above(0); }

  void insert(std::size_t tree, Put put, Put same) {
    EXPECT_EQ(pools_[0].insert(trees_[0][tree], put.sequence()),
              pools_[1].insert(trees_[1][tree], same.sequence()));
  }
  template <typename Do>
  void both(std::size_t tree, Do what) {
    for (std::size_t i : {0, 1}) what(pools_[i], trees_[i][tree]);
  }
  void share() { pools_[1].share(); }
  void expect_equal() {
    for (std::size_t tree = 0; tree < kTrees; ++tree)
      ASSERT_EQ(print(pools_[1], trees_[1][tree]), print(pools_[0], trees_[0][tree]));
    saved_ += pools_[0].live() - pools_[1].live();
    EXPECT_LE(pools_[1].live(), pools_[0].live());
  }
  void move() {
    for (std::size_t i : {0, 1}) {
      WakeupTrees other;
      if (i == 1) other.share_above(0);
      for (auto& tree : trees_[i]) tree = other.take_over(pools_[i], tree);
      EXPECT_EQ(pools_[i].live(), 0u);
      pools_[i] = std::move(other);
    }
  }
  void clear() {
    for (std::size_t i : {0, 1}) {
      for (auto& tree : trees_[i]) pools_[i].clear(tree);
      EXPECT_EQ(pools_[i].live(), 0u);
    }
  }
  std::size_t saved() const { return saved_; }
  static constexpr std::size_t kTrees = 3;

 private:
  std::array<WakeupTrees, 2> pools_;
  std::array<std::array<WakeupTrees::Branches, kTrees>, 2> trees_;
  std::size_t saved_ = 0;
};

// A sequence of a step each of some threads, on few objects.
std::vector<Event> random_events(std::mt19937& random) {
  std::vector<Event> events;
  const std::size_t length = 1 + random() % 6;
  for (std::size_t i = 0; i < length; ++i) {
    const auto thread = static_cast<ThreadId>(1 + random() % 6);
    const auto has_one = [&](const Event& event) { return event.thread == thread; };
    if (std::none_of(events.begin(), events.end(), has_one))
      events.push_back(store(thread, random() % 2 == 0 ? kX : kY));
  }
  return events;
}

TEST(SharedTrees, AreWhatTheyWere) {
  std::size_t saved = 0;
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Twins twins;
    for (int round = 0; round < 400; ++round) {
      const std::size_t tree = random() % Twins::kTrees;
      const std::vector<Event> events = random_events(random);
      const PlannedStep step = step_of(events[0]);
      switch (random() % 16) {
        case 0: twins.both(tree, [&](auto& pool, auto& at) { pool.add_first(at, step); }); break;
        case 1: twins.both(tree, [&](auto& pool, auto& at) { pool.add_last(at, step); }); break;
        case 2: twins.both(tree, [&](auto& pool, auto& at) { pool.bring_first(at, step.step); }); break;
        case 3: twins.both(tree, [&](auto& pool, auto& at) { pool.drop_asleep(at, step); }); break;
        case 4:
          twins.both(tree, [&](auto& pool, auto& at) {
            if (at.empty()) return;
            const WakeupTrees::Node node = pool.take_first(at);
            WakeupTrees::Branches below = pool.below(node);
            pool.give_back(node);
            pool.clear(at);
            at = below;
          });
          break;
        case 5: twins.move(); break;
        default: {
          const std::size_t turned = random() % events.size();
          twins.insert(tree, Put(events, turned), Put(events, turned));
        }
      }
      if (random() % 4 != 0) twins.share();
      twins.expect_equal();
      if (HasFatalFailure()) return;
    }
    twins.clear();
    saved += twins.saved();
  }
  EXPECT_GT(saved, 0u) << "nothing was shared";
}

}  // namespace
}  // namespace thrum
