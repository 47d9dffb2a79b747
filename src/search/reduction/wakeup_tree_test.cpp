// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/wakeup_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
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
  Put(std::initializer_list<Event> events, std::size_t turned, std::vector<std::size_t> needed = {})
      : events_(events) {
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

}  // namespace
}  // namespace thrum
