// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/reads_from.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

constexpr std::uint64_t kCell = 16;
constexpr std::uint64_t kMutex = 64;

class Executions {
 public:
  Event& add(ThreadId thread, Operation operation, std::uint64_t object, std::uint32_t size = 4) {
    Event& event = trace.events.emplace_back();
    event.thread = thread;
    event.operation = operation;
    event.object = object;
    event.size = size;
    event.index = count_[thread]++;
    return event;
  }
  void add_hidden(ThreadId thread, Operation operation, ThreadId other) {
    Event& event = trace.events.emplace_back();
    event.thread = thread;
    event.operation = operation;
    event.argument = other;
  }
  const ReadsFrom& read() {
    run_.read(trace, locations);
    return run_;
  }
  Trace trace;
  Locations locations;

 private:
  std::array<std::uint32_t, 4> count_{};
  ReadsFrom run_;
};

TEST(ReadsFrom, ALoadReadsFromTheLastStoreOfItsCell) {
  Executions all;
  all.add(0, Operation::load, kCell);
  all.add(0, Operation::store, kCell);
  all.add(1, Operation::store, kCell + 8);
  all.add(1, Operation::load, kCell);
  const ReadsFrom& run = all.read();
  EXPECT_EQ(run[0].source, ReadsFrom::kNone);
  EXPECT_FALSE(run[1].reads);
  EXPECT_EQ(run[3].source, 1u);
  EXPECT_EQ(run.past(3)[0], 2u);
  EXPECT_EQ(run.past_without_source(3)[0], 0u);
  EXPECT_EQ(run.past(3)[1], 2u);
  EXPECT_EQ(all.locations.changes(), 0u);
}

TEST(ReadsFrom, AnUpdateThatChangesNothingOnlyReads) {
  Executions all;
  all.add(0, Operation::read_modify_write, kCell);
  all.add(1, Operation::compare_exchange, kCell).outcome = Outcome::failed;
  all.add(1, Operation::read_modify_write, kCell).outcome = Outcome::unchanged;
  all.add(0, Operation::load, kCell);
  const ReadsFrom& run = all.read();
  EXPECT_TRUE(run[0].reads && run[0].writes);
  EXPECT_TRUE(run[1].reads && !run[1].writes);
  EXPECT_TRUE(run[2].reads && !run[2].writes);
  EXPECT_EQ(run[3].source, 0u);
}

TEST(ReadsFrom, OperationsOnAnObjectAreOrdered) {
  Executions all;
  all.add(0, Operation::lock, kMutex, 0);
  all.add(0, Operation::unlock, kMutex, 0);
  all.add(1, Operation::try_lock, kMutex, 0).outcome = Outcome::failed;
  all.add(0, Operation::lock, kMutex, 0);
  const ReadsFrom& run = all.read();
  EXPECT_EQ(run[1].source, 0u);
  EXPECT_EQ(run[2].source, 1u);
  EXPECT_EQ(run[3].source, 2u);
}

// Bytes 0 to 3, and then 0 to 7, and 4 to 7: one location from then on, whose stores are ordered.
TEST(ReadsFrom, AccessesThatOverlapInPartAreOneObject) {
  Executions all;
  all.add(0, Operation::store, kCell);
  all.add(0, Operation::store, kCell + 4);
  all.read();
  EXPECT_EQ(all.locations.changes(), 0u);
  all.add(1, Operation::load, kCell, 8);
  const ReadsFrom& run = all.read();
  EXPECT_GT(all.locations.changes(), 0u);
  EXPECT_EQ(run[1].source, 0u);
  EXPECT_EQ(run[2].source, 1u);
  EXPECT_TRUE(run[2].reads && !run[2].writes);
  const std::uint64_t changes = all.locations.changes();
  all.read();
  EXPECT_EQ(all.locations.changes(), changes);
}

TEST(ReadsFrom, AConditionVariableAndItsMutexAreOneObject) {
  Executions all;
  all.add(0, Operation::lock, kMutex, 0);
  all.add(0, Operation::wait_release, kMutex + 100, 0).operand = kMutex;
  all.add(1, Operation::signal, kMutex + 100, 0);
  all.add(2, Operation::lock, kMutex, 0);
  const ReadsFrom& run = all.read();
  EXPECT_EQ(run[2].source, 1u);
  EXPECT_EQ(run[3].source, 2u);
}

TEST(ReadsFrom, CreationAndJoinAreCauses) {
  Executions all;
  all.add(0, Operation::store, kCell);
  all.add_hidden(0, Operation::thread_create, 1);
  all.add(1, Operation::store, kCell + 8);
  all.add_hidden(0, Operation::thread_join, 1);
  all.add(0, Operation::store, kCell);
  const ReadsFrom& run = all.read();
  EXPECT_EQ(run[1].causes, std::vector<ReadsFrom::Index>{0});
  EXPECT_EQ(run[2].causes, std::vector<ReadsFrom::Index>{1});
  EXPECT_EQ(run.past(1)[0], 1u);
  EXPECT_TRUE(run.causal(2).has(run[1]));
}

// A thread that has no step of its own passes on what it knows.
TEST(ReadsFrom, CausesPassThroughThreadsWithoutSteps) {
  Executions all;
  all.add(0, Operation::store, kCell);
  all.add_hidden(0, Operation::thread_create, 1);
  all.add_hidden(1, Operation::thread_create, 2);
  all.add(2, Operation::load, kCell);
  const ReadsFrom& run = all.read();
  EXPECT_EQ(run[1].causes, std::vector<ReadsFrom::Index>{0});
}

TEST(ReadsFrom, SaysWhatClassesDoNotCover) {
  Executions all;
  all.add(0, Operation::store, kCell);
  EXPECT_EQ(all.read().not_covered(), "");
  all.add(0, Operation::try_join, 0, 0);
  EXPECT_EQ(all.read().not_covered(), "try-join");
  all.trace.watches.push_back({0, 4, kCell});
  EXPECT_EQ(all.read().not_covered(), "loops that wait for a time, or whose rounds write");
}

}  // namespace
}  // namespace thrum
