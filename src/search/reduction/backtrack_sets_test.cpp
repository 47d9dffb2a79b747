// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/backtrack_sets.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

constexpr ChoiceKey key_at(std::uint32_t index) { return {kMainThread, ChoiceKind::thread, index}; }
constexpr Step step_of(ThreadId thread) { return {{thread, Via::run}, 0}; }

// Inserts the step at the root's point, and runs it as that node.
void insert(BacktrackSets& sets, std::uint32_t depth, ThreadId thread, BacktrackSets::Node node) {
  BacktrackSets::Set* set = sets.find(0, depth);
  if (set == nullptr) set = &sets.make(0, depth, key_at(depth), {step_of(0)});
  ++set->live;
  BacktrackSets::Entry& entry = sets.add(*set, step_of(thread));
  entry.node = node;
  entry.order = set->runs++;
}

TEST(BacktrackSets, TheFirstEntryIsTheOwnersOwn) {
  BacktrackSets sets;
  EXPECT_EQ(sets.find(0, 3), nullptr);
  BacktrackSets::Set& set = sets.make(0, 3, key_at(3), {step_of(7)});
  EXPECT_EQ(sets.find(0, 3), &set);
  EXPECT_EQ(set.entries[0].order, 0);
  ASSERT_NE(set.find(step_of(7)), nullptr);
  EXPECT_EQ(set.find_waiting(step_of(7)), nullptr);
  sets.add(set, step_of(8));
  ASSERT_NE(set.find_waiting(step_of(8)), nullptr);
  EXPECT_EQ(sets.find(0, 2), nullptr);
  EXPECT_EQ(sets.find(1, 3), nullptr);
}

// A set stays while somebody departs there or behind it, and no longer.
TEST(BacktrackSets, GoWithThoseWhoCanPassThem) {
  BacktrackSets sets;
  insert(sets, 5, 1, 10);
  insert(sets, 2, 1, 11);
  insert(sets, 8, 1, 12);
  insert(sets, 2, 2, 13);
  EXPECT_EQ(sets.size(), 3u);
  const std::uint64_t before = sets.bytes();
  sets.node_gone(10, 0, key_at(5));
  EXPECT_EQ(sets.size(), 3u) << "what departs at 8 passes 5";
  sets.node_gone(12, 0, key_at(8));
  EXPECT_EQ(sets.size(), 1u);
  EXPECT_NE(sets.find(0, 2), nullptr);
  EXPECT_LT(sets.bytes(), before);
  sets.node_gone(11, 0, key_at(2));
  EXPECT_EQ(sets.size(), 1u);
  sets.node_gone(13, 0, key_at(2));
  EXPECT_EQ(sets.size(), 0u);
  EXPECT_EQ(sets.bytes(), 0u);
}

// The number of a node that has gone may be another one's.
TEST(BacktrackSets, NodesAreNotConfusedWithOlderOnes) {
  BacktrackSets sets;
  insert(sets, 2, 1, 10);
  insert(sets, 2, 2, 11);
  sets.node_gone(10, 0, key_at(2));
  insert(sets, 2, 3, 10);
  BacktrackSets::Set* set = sets.find(0, 2);
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(set->find_run(10)->step, step_of(3));
}

TEST(BacktrackSets, StayWhileTheirOwnerIsContinued) {
  BacktrackSets sets;
  sets.continue_as_child(0);
  insert(sets, 2, 1, 10);
  sets.node_gone(10, 0, key_at(2));
  EXPECT_EQ(sets.size(), 1u);
  sets.node_gone(20, 0, key_at(9));  // the one that it was continued as
  EXPECT_EQ(sets.size(), 0u);
  EXPECT_EQ(sets.bytes(), 0u);
}

TEST(BacktrackSets, GoWithTheirOwner) {
  BacktrackSets sets;
  sets.make(4, 2, key_at(2), {step_of(0)});
  sets.node_gone(4, 0, key_at(1));
  EXPECT_EQ(sets.size(), 0u);
  EXPECT_EQ(sets.bytes(), 0u);
}

TEST(BacktrackSets, NumberWhatStepsDid) {
  BacktrackSets sets;
  PlannedStep store{step_of(1), {}};
  store.event.operation = Operation::store;
  store.event.object = 100;
  PlannedStep same = store;
  same.event.value = 5;  // no dependence is told by it
  PlannedStep failed = store;
  failed.event.outcome = Outcome::failed;
  PlannedStep creates = store;
  creates.creates = true;
  EXPECT_EQ(sets.number_of(store), sets.number_of(same));
  EXPECT_NE(sets.number_of(store), sets.number_of(failed));
  EXPECT_NE(sets.number_of(store), sets.number_of(creates));
  EXPECT_EQ(sets.event(sets.number_of(failed)).event.outcome, Outcome::failed);
}

}  // namespace
}  // namespace thrum
