// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

TEST(Unit, Joins) {
  std::atomic<int> counter{0};
  std::thread([&] { ++counter; }).join();
  EXPECT_EQ(counter, 1);
}

TEST(Unit, Empty) {}
