// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/signal_name.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace thrum {
namespace {

TEST(SignalName, IsAsInTheHeader) {
  EXPECT_EQ(signal_name(SIGHUP), "SIGHUP");
  EXPECT_EQ(signal_name(SIGUSR1), "SIGUSR1");
  EXPECT_EQ(signal_name(SIGALRM), "SIGALRM");
  EXPECT_EQ(signal_name(SIGCHLD), "SIGCHLD");
  EXPECT_EQ(signal_name(SIGSYS), "SIGSYS");
  EXPECT_EQ(signal_name(SIGRTMIN), "SIGRTMIN");
  EXPECT_EQ(signal_name(SIGRTMIN + 3), "SIGRTMIN+3");
}

// glibc's own list, for the signals that it names.
TEST(SignalName, AgreesWithLibc) {
  for (int number = 1; number < 32; ++number) {
    const char* name = sigabbrev_np(number);
    ASSERT_NE(name, nullptr);
    std::string expected = std::string("SIG") + (std::string(name) == "POLL" ? "IO" : name);
    EXPECT_EQ(signal_name(number), expected);
  }
}

}  // namespace
}  // namespace thrum
