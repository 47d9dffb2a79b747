// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A main that starts a thread before the tests, passes none of its arguments on and has a filter of its own.
#include "gtest/gtest.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

static std::atomic<int> ticks{0};

struct Ticks : testing::Test {
  static void SetUpTestSuite() {
    std::thread([] { ticks.fetch_add(1); }).join();
  }
};

TEST_F(Ticks, One) {
  int now = ticks.load();
  EXPECT_TRUE(now == 1 || now == 2) << now;
}

// Fails where the thread of main ticks first.
TEST_F(Ticks, FailsLate) {
  std::thread([] { ticks.fetch_add(10); }).join();
  EXPECT_LT(ticks.load(), 12);
}

TEST_F(Ticks, Throws) { throw std::runtime_error("thrown"); }

TEST_F(Ticks, SkippedInSomeSchedules) {
  if (ticks.load() == 2) GTEST_SKIP() << "too late";
}

TEST_F(Ticks, Exits) { std::exit(7); }

// The runtime sees nothing of this end.
TEST_F(Ticks, IsKilled) {
  asm volatile("syscall" : : "a"(SYS_kill), "D"(getpid()), "S"(SIGKILL) : "rcx", "r11", "memory");
}

TEST_F(Ticks, Forks) {
  if (fork() == 0) _exit(0);
}

TEST(Other, FilteredByMain) { FAIL(); }

int main() {
  std::thread background([] { ticks.fetch_add(1); });
  testing::InitGoogleTest();
  testing::GTEST_FLAG(filter) = "Ticks.*";
  int result = RUN_ALL_TESTS();
  background.join();
  return result;
}
