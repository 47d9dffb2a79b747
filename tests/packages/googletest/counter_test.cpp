// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

template <typename Increment>
void count_in_two_threads(Increment increment) {
  std::atomic<int> counter{0};
  std::thread first([&] { increment(counter); });
  std::thread second([&] { increment(counter); });
  first.join();
  second.join();
  EXPECT_EQ(counter, 2);
}

TEST(Counter, InOneStep) {
  count_in_two_threads([](std::atomic<int>& counter) { ++counter; });
}

TEST(Counter, InTwoSteps) {
  count_in_two_threads([](std::atomic<int>& counter) { counter = counter + 1; });
}

class Several : public testing::TestWithParam<int> {};

TEST_P(Several, Counted) {
  count_in_two_threads([](std::atomic<int>& counter) { counter.fetch_add(GetParam() == 2 ? 2 : 1); });
}

INSTANTIATE_TEST_SUITE_P(Times, Several, testing::Values(1, 2));
