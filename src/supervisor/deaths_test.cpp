// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/deaths.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace thrum {
namespace {

class DeathsTest : public ::testing::Test {
 protected:
  // The worker dies in that execution. status: as waitpid() gives it.
  bool dies(std::uint32_t slot, std::uint32_t execution, int status) {
    Channel& channel = memory_.channel(slot);
    channel.phase = Channel::Phase::searching;
    channel.in_execution = 1;
    channel.departures[0] = {{kMainThread, ChoiceKind::value, execution}, {0, Via::run}};
    channel.departure_count = 1;
    return deaths_.try_again(memory_, slot, status);
  }
  bool dies_in_set_up(int status) {
    memory_.channel(0).phase = Channel::Phase::preamble;
    memory_.channel(0).in_execution = 0;
    return deaths_.try_again(memory_, 0, status);
  }

  ThreadNames names_;
  SharedMemory memory_{Job{}, names_};
  Deaths deaths_;
};

TEST_F(DeathsTest, AHundredKillsInARowAtOnePointAreTheProgramsFault) {
  for (int i = 1; i < 100; ++i) EXPECT_TRUE(dies(0, 7, SIGKILL)) << i;
  EXPECT_FALSE(dies(0, 7, SIGKILL));
  EXPECT_EQ(deaths_.count(), 99U);
}

TEST_F(DeathsTest, KillsThatMeetOnePointAgainAndAgainAreNot) {
  for (int i = 0; i < 300; ++i) {
    EXPECT_TRUE(dies(0, 7, SIGKILL)) << i;
    if (i % 50 == 0) {
      EXPECT_TRUE(dies(0, 8, SIGKILL)) << i;
    }
  }
}

TEST_F(DeathsTest, KillsOfAnotherWorkerAreNoBreak) {
  for (int i = 1; i < 100; ++i) {
    EXPECT_TRUE(dies(0, 7, SIGKILL)) << i;
    EXPECT_TRUE(dies(1, static_cast<std::uint32_t>(1000 + i), SIGKILL)) << i;
  }
  EXPECT_FALSE(dies(0, 7, SIGKILL));
}

TEST_F(DeathsTest, ASetUpThatIsKilledIsDoneAgain) {
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(dies_in_set_up(SIGKILL)) << i;
  EXPECT_FALSE(dies_in_set_up(SIGSEGV)) << "it may do what is not to be done twice";
}

TEST_F(DeathsTest, OtherSignalsAreHeldAgainstTheProgramTheSecondTime) {
  EXPECT_TRUE(dies(0, 7, SIGSEGV));
  EXPECT_TRUE(dies(0, 8, SIGSEGV)) << "another execution";
  EXPECT_FALSE(dies(0, 7, SIGSEGV));
  EXPECT_FALSE(dies(0, 9, 3 << 8)) << "an exit is no signal";
}

}  // namespace
}  // namespace thrum
