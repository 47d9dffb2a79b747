// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting loops, with a stack and registers made by hand.
#include "runtime/threads/spin.hpp"

#include <gtest/gtest.h>

#include <array>

#include "runtime/base/thread.hpp"

namespace thrum {
namespace {

using Arrival = SpinDetector::Arrival;

// A thread whose frames are words of an array, and a detector that already watches the calls 1 to 3.
class SpinTest : public testing::Test {
 protected:
  SpinTest() {
    thread_.slot = 0;
    thread_.stack_top = reinterpret_cast<char*>(frames_.data() + frames_.size());
    spins_.add_thread(0);
    for (std::uint64_t call = 1; call <= 3; ++call) {
      spins_.arrive(thread_, call, state());
      EXPECT_EQ(spins_.arrive(thread_, call, state()), Arrival::start_anew);
      spins_.reset();
    }
  }

  CallerState state() {
    CallerState caller{};
    caller.registers[0] = counter_;
    caller.stack_pointer = reinterpret_cast<std::uint64_t>(frames_.data() + 4);
    return caller;
  }

  // One call that reads an object.
  Arrival read(std::uint64_t call, std::uint64_t object) {
    Arrival arrival = spins_.arrive(thread_, call, state());
    if (arrival == Arrival::ordinary) spins_.note_read(thread_, object, 4);
    return arrival;
  }

  SpinDetector spins_;
  Thread thread_;
  std::array<std::uint64_t, 16> frames_{};
  std::uint64_t counter_ = 0;
};

constexpr std::uint64_t kFlag = 0x1000;
constexpr std::uint64_t kOther = 0x2000;

TEST_F(SpinTest, ComesBackTheSame) {
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  EXPECT_EQ(read(1, kFlag), Arrival::spins);
  EXPECT_FALSE(spins_.released(thread_));
  spins_.note_write(kOther, 4);
  EXPECT_FALSE(spins_.released(thread_));
  spins_.note_write(kFlag + 3, 1);
  EXPECT_TRUE(spins_.released(thread_));
}

TEST_F(SpinTest, WasWrittenBetweenTheReadAndTheReturn) {
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  spins_.note_write(kFlag, 4);
  EXPECT_EQ(read(1, kFlag), Arrival::spins);
  EXPECT_TRUE(spins_.released(thread_)) << "perhaps already";
}

TEST_F(SpinTest, WaitsForAnotherValue) {
  spins_.begin_plan(true);
  std::uint32_t flag = 7;
  const auto object = reinterpret_cast<std::uint64_t>(&flag);
  EXPECT_EQ(spins_.arrive(thread_, 1, state()), Arrival::ordinary);
  spins_.note_value(thread_, object, sizeof flag, flag);
  spins_.note_read(thread_, kOther, 0);
  EXPECT_EQ(spins_.arrive(thread_, 1, state()), Arrival::spins);
  spins_.note_write(object, sizeof flag);
  EXPECT_FALSE(spins_.released(thread_)) << "the same value";
  flag = 8;
  EXPECT_TRUE(spins_.released(thread_));
  flag = 7;
  EXPECT_FALSE(spins_.released(thread_)) << "the old value again";
  spins_.note_write(kOther, 1);
  EXPECT_TRUE(spins_.released(thread_)) << "what has no value";
}

// An object in a frame that the thread has left holds something else when it waits.
TEST_F(SpinTest, WaitsThoughItHasChangedWhatItReadUnseen) {
  spins_.begin_plan(true);
  std::uint32_t local = 0;
  const auto object = reinterpret_cast<std::uint64_t>(&local);
  const auto run = [&] {
    const Arrival arrival = spins_.arrive(thread_, 1, state());
    spins_.note_value(thread_, object, sizeof local, 0);
    local = 5;
    return arrival;
  };
  EXPECT_EQ(run(), Arrival::ordinary);
  EXPECT_EQ(run(), Arrival::spins);
  EXPECT_FALSE(spins_.released(thread_));
  spins_.note_switch();
  EXPECT_EQ(run(), Arrival::spins);
  EXPECT_TRUE(spins_.released(thread_)) << "another thread may have changed it";
  EXPECT_EQ(run(), Arrival::spins);
  EXPECT_FALSE(spins_.released(thread_)) << "the last round was alone";
}

TEST_F(SpinTest, NothingIsNotedBeforeItIsAskedFor) {
  spins_.begin(false);
  spins_.note_write(kFlag, 4);
  spins_.note_all();
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  EXPECT_EQ(read(1, kFlag), Arrival::spins);
  EXPECT_FALSE(spins_.released(thread_));
  spins_.note_write(kFlag, 4);
  EXPECT_TRUE(spins_.released(thread_));
}

TEST_F(SpinTest, AWriteBeforeTheReadDoesNotCount) {
  spins_.note_write(kFlag, 4);
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  EXPECT_EQ(read(1, kFlag), Arrival::spins);
  EXPECT_FALSE(spins_.released(thread_));
}

TEST_F(SpinTest, CountingIsNoSpin) {
  for (counter_ = 0; counter_ < 100; ++counter_) EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
}

TEST_F(SpinTest, AChangeOnTheLiveStackIsNoSpin) {
  for (frames_[10] = 0; frames_[10] < 100; ++frames_[10]) EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
}

TEST_F(SpinTest, WhatLiesBelowTheStackPointerDoesNotMatter) {
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  frames_[3] = 77;
  EXPECT_EQ(read(1, kFlag), Arrival::spins);
}

TEST_F(SpinTest, AChangeInBetweenIsNoSpin) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
    spins_.note_change(thread_);
  }
}

TEST_F(SpinTest, WaitsForAllThatTheIterationRead) {
  EXPECT_EQ(read(3, 0x3000), Arrival::ordinary);  // before the loop
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  EXPECT_EQ(read(2, kOther), Arrival::ordinary);
  EXPECT_EQ(read(1, kFlag), Arrival::spins);
  spins_.note_write(0x3000, 4);
  EXPECT_FALSE(spins_.released(thread_));
  spins_.note_write(kOther, 4);
  EXPECT_TRUE(spins_.released(thread_));
}

TEST_F(SpinTest, SpinsAgainAfterARelease) {
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  EXPECT_EQ(read(1, kFlag), Arrival::spins);
  spins_.note_write(kFlag, 4);
  EXPECT_TRUE(spins_.released(thread_));
  spins_.note_read(thread_, kFlag, 4);  // one more round: the flag is unchanged
  EXPECT_EQ(read(1, kFlag), Arrival::spins);
  EXPECT_FALSE(spins_.released(thread_));
}

TEST_F(SpinTest, FindsLoopsThatAlternate) {
  int visits = 0;
  Arrival arrival = Arrival::ordinary;
  while (arrival != Arrival::spins && visits < 100) {
    counter_ = static_cast<std::uint64_t>(visits % 3);
    arrival = read(1, kFlag);
    ++visits;
  }
  EXPECT_EQ(arrival, Arrival::spins);
  EXPECT_LE(visits, 8) << "within three times the period";
}

TEST_F(SpinTest, AnotherFrameIsAnotherCall) {
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  CallerState deeper = state();
  deeper.stack_pointer -= 16;
  EXPECT_EQ(spins_.arrive(thread_, 1, deeper), Arrival::start_anew) << "the stack is to be cleared so far";
  spins_.reset();
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  EXPECT_EQ(spins_.arrive(thread_, 1, deeper), Arrival::ordinary);
}

TEST_F(SpinTest, StacksAreClearedAsDeepAsTheyWereCompared) {
  frames_.fill(7);
  char* top = thread_.stack_top;
  spins_.clear_stack(thread_, top - 2 * sizeof frames_[0], spins_.depth());
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    bool is_live = i >= frames_.size() - 2;
    EXPECT_EQ(frames_[i], i < 4 || is_live ? 7 : 0) << i;
  }
}

TEST_F(SpinTest, OneMoreRoundForEachWrite) {
  EXPECT_TRUE(spins_.give_another_round(thread_));
  EXPECT_FALSE(spins_.give_another_round(thread_));
  spins_.note_write(kOther, 4);
  EXPECT_TRUE(spins_.give_another_round(thread_));
}

TEST_F(SpinTest, KnowsTheClock) {
  EXPECT_EQ(read(1, SpinDetector::kClock), Arrival::ordinary);
  EXPECT_EQ(read(1, SpinDetector::kClock), Arrival::spins);
  EXPECT_TRUE(spins_.reads_clock(thread_));
}

TEST_F(SpinTest, TheFirstSpinIsToBeProved) {
  read(1, kFlag);
  ASSERT_EQ(read(1, kFlag), Arrival::spins);
  EXPECT_TRUE(spins_.unproved(thread_, 1));
  spins_.prove(1);
  EXPECT_FALSE(spins_.unproved(thread_, 1));
}

TEST_F(SpinTest, NothingIsProvedWhereARoundMayDiffer) {
  read(1, kFlag);
  spins_.note_switch();
  ASSERT_EQ(read(1, kFlag), Arrival::spins);
  EXPECT_FALSE(spins_.unproved(thread_, 1)) << "another thread ran";
  spins_.reset();
  read(2, kFlag);
  spins_.note_wait(thread_);
  ASSERT_EQ(read(2, kFlag), Arrival::spins);
  EXPECT_FALSE(spins_.unproved(thread_, 2)) << "it slept";
  spins_.reset();
  read(3, kFlag);
  spins_.note_write(kFlag, 4);
  ASSERT_EQ(read(3, kFlag), Arrival::spins);
  EXPECT_FALSE(spins_.unproved(thread_, 3)) << "it is released";
}

TEST_F(SpinTest, ACallThatIsNoSpinNeverIs) {
  spins_.never(1);
  read(1, kFlag);
  EXPECT_EQ(read(1, kFlag), Arrival::ordinary);
  read(2, kFlag);
  EXPECT_EQ(read(2, kFlag), Arrival::spins);
}

}  // namespace
}  // namespace thrum
