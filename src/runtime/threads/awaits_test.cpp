// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds that come to nothing, with a stack and registers made by hand.
#include "runtime/threads/awaits.hpp"

#include <gtest/gtest.h>

#include <array>

#include "runtime/base/thread.hpp"

namespace thrum {
namespace {

// A thread whose frames are words of an array, and whose calls 1 to 3 are watched.
class AwaitsTest : public testing::Test {
 protected:
  using Arrival = Awaits::Arrival;
  static constexpr std::uint64_t kFlag = 0x1000;
  static constexpr std::uint64_t kOther = 0x2000;

  AwaitsTest() {
    thread_.slot = 0;
    thread_.stack_top = reinterpret_cast<char*>(frames_.data() + frames_.size());
    for (std::uint64_t call = 1; call <= 3; ++call) awaits_.watch(call);
    begin(Rounds::await);
    EXPECT_EQ(arrive(1, kFlag), Arrival::deeper) << "stacks are cleared so far from now on";
    begin(Rounds::await);
  }

  void begin(Rounds rounds) {
    awaits_.reset();
    awaits_.begin_plan(rounds);
    thread_.events = 0;
  }

  Arrival arrive(std::uint64_t call, std::uint64_t object, Operation operation = Operation::load) {
    thread_.operation = operation;
    thread_.object = object;
    thread_.size = 4;
    CallerState caller{};
    caller.registers[0] = kept_;
    caller.stack_pointer = reinterpret_cast<std::uint64_t>(frames_.data() + 4);
    return awaits_.arrive(thread_, call, caller, {++switches_, steps_});
  }

  // A call that reads an object, and gets that value.
  Arrival read(std::uint64_t call, std::uint64_t object, std::uint64_t value) {
    const Arrival arrival = arrive(call, object);
    if (arrival != Arrival::ordinary && arrival != Arrival::runs_on) return arrival;
    awaits_.note_read(thread_, value, 0, steps_);
    ++thread_.events;
    return arrival;
  }

  Awaits awaits_;
  Thread thread_;
  std::array<std::uint64_t, 16> frames_{};
  std::uint64_t kept_ = 0;  // what a register holds
  std::uint64_t switches_ = 0;
  std::uint64_t steps_ = 0;  // instrumented operations
};

TEST_F(AwaitsTest, ARoundThatComesBackBlocksItsThread) {
  begin(Rounds::block);
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(awaits_.condition(thread_), 0u);
  EXPECT_EQ(arrive(1, kFlag), Arrival::nothing);
}

TEST_F(AwaitsTest, AnEffectBeginsAfresh) {
  begin(Rounds::block);
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  awaits_.note_change(thread_);
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  kept_ = 7;
  EXPECT_EQ(arrive(1, kFlag), Arrival::ordinary) << "a register differs";
}

TEST_F(AwaitsTest, AnOperationThatChangesSomethingBeginsAfresh) {
  begin(Rounds::block);
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(arrive(2, kOther, Operation::store), Arrival::ordinary);
  awaits_.note_effect(thread_, 0);
  EXPECT_EQ(arrive(1, kFlag), Arrival::ordinary);
}

TEST_F(AwaitsTest, WhatFollowsAReadIsLearned) {
  EXPECT_EQ(arrive(1, kFlag), Arrival::ordinary);
  const std::uint64_t condition = awaits_.condition(thread_);
  EXPECT_NE(condition, 0u);
  EXPECT_FALSE(awaits_.refuses(thread_, 0)) << "nothing is known of it";
  awaits_.note_read(thread_, 0, 0, steps_);
  EXPECT_EQ(arrive(1, kFlag), Arrival::learned);
  std::vector<Refusal> refusals;
  awaits_.take_refusals(refusals);
  EXPECT_EQ(refusals, std::vector<Refusal>({{condition, 0}}));

  begin(Rounds::await);
  EXPECT_EQ(arrive(1, kFlag), Arrival::ordinary);
  EXPECT_EQ(awaits_.condition(thread_), condition);
  EXPECT_TRUE(awaits_.refuses(thread_, 0));
  EXPECT_FALSE(awaits_.refuses(thread_, 1));
}

TEST_F(AwaitsTest, OfTwoReadsTheLastOneWaits) {
  EXPECT_EQ(read(1, kFlag, 1), Arrival::ordinary);
  EXPECT_EQ(read(2, kOther, 0), Arrival::ordinary);
  EXPECT_EQ(arrive(1, kFlag), Arrival::learned);
  begin(Rounds::await);
  EXPECT_EQ(arrive(1, kFlag), Arrival::ordinary);
  EXPECT_FALSE(awaits_.refuses(thread_, 1));
  awaits_.note_read(thread_, 1, 0, steps_);
  EXPECT_EQ(arrive(2, kOther), Arrival::ordinary);
  EXPECT_TRUE(awaits_.refuses(thread_, 0));
}

TEST_F(AwaitsTest, WhatIsLearnedIsOfOneThread) {
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(arrive(1, kFlag), Arrival::learned);
  begin(Rounds::await);
  thread_.id = 7;
  EXPECT_EQ(arrive(1, kFlag), Arrival::ordinary);
  EXPECT_FALSE(awaits_.refuses(thread_, 0));
}

// To have read 1 of the flag would lead where 1 of the other object leads; but the flag is 0.
TEST_F(AwaitsTest, AShorterWayReadsTheSameBytes) {
  begin(Rounds::merge);
  EXPECT_EQ(read(1, kFlag, 1), Arrival::ordinary);
  EXPECT_EQ(arrive(3, kOther), Arrival::ordinary);
  for (int i = 0; i < 2; ++i) {
    begin(Rounds::merge);
    EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
    EXPECT_EQ(arrive(2, kOther), Arrival::ordinary);
    EXPECT_FALSE(awaits_.refuses(thread_, 1));
    awaits_.note_read(thread_, 1, 0, steps_);
    EXPECT_EQ(arrive(3, kOther), Arrival::ordinary);
  }
}

TEST_F(AwaitsTest, AYieldIsPassedThrough) {
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(arrive(2, 0, Operation::yield), Arrival::ordinary);
  EXPECT_TRUE(awaits_.goes_on(thread_)) << "what follows it is not known";
  awaits_.note_read(thread_, 0, 0, steps_);
  EXPECT_EQ(arrive(1, kFlag), Arrival::learned);
  begin(Rounds::await);
  EXPECT_EQ(arrive(1, kFlag), Arrival::ordinary);
  EXPECT_TRUE(awaits_.refuses(thread_, 0));
}

TEST_F(AwaitsTest, NothingIsLearnedBehindAPlainAccess) {
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  ++steps_;
  EXPECT_EQ(arrive(1, kFlag), Arrival::nothing) << "the round runs, and is checked";
  begin(Rounds::await);
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  awaits_.note_unseen_change(thread_);
  EXPECT_EQ(arrive(1, kFlag), Arrival::nothing);
}

TEST_F(AwaitsTest, WhatContradictsWasLearnedInVain) {
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(read(2, kOther, 0), Arrival::ordinary);
  begin(Rounds::await);
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(arrive(3, kOther), Arrival::unsound) << "the same value led to call 2";
}

TEST_F(AwaitsTest, ACallThatIsNotWatchedIsWatchedOnceItComesBack) {
  EXPECT_EQ(read(8, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(read(9, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(arrive(8, kFlag), Arrival::deeper) << "its states are taken from now on";
  begin(Rounds::await);
  EXPECT_EQ(read(8, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(read(9, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(arrive(8, kFlag), Arrival::watch);
  EXPECT_TRUE(awaits_.watched().has(8));
  EXPECT_TRUE(awaits_.watched().has(9));
}

// load x: 0; compare-exchange fails and loads 1: the same as if the load had read 1.
TEST_F(AwaitsTest, AFailedCompareExchangeIsALaterLoad) {
  const auto retry = [&](std::uint64_t first) {
    kept_ = 0;
    EXPECT_EQ(read(1, kFlag, first), Arrival::ordinary);
    kept_ = first;
    return read(2, kFlag, 1);
  };
  begin(Rounds::merge);
  EXPECT_EQ(retry(0), Arrival::ordinary);
  kept_ = 1;
  EXPECT_EQ(arrive(2, kFlag), Arrival::probe) << "where would the load have led to with 1?";

  begin(Rounds::merge);
  kept_ = 0;
  EXPECT_EQ(arrive(1, kFlag), Arrival::runs_on);
  EXPECT_EQ(awaits_.probe_value(), 1u);
  awaits_.note_read(thread_, 1, 0, steps_);
  kept_ = 1;
  EXPECT_EQ(arrive(2, kFlag), Arrival::probe) << "it is over";

  begin(Rounds::merge);
  EXPECT_EQ(retry(0), Arrival::ordinary);
  kept_ = 1;
  EXPECT_EQ(arrive(2, kFlag), Arrival::learned);

  begin(Rounds::merge);
  kept_ = 0;
  EXPECT_EQ(read(1, kFlag, 0), Arrival::ordinary);
  EXPECT_EQ(arrive(2, kFlag), Arrival::ordinary);
  EXPECT_TRUE(awaits_.refuses(thread_, 1));
  EXPECT_FALSE(awaits_.refuses(thread_, 2)) << "that is not known";
}

}  // namespace
}  // namespace thrum
