// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/duration.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(LengthWords, TakeTheUnitThatPeopleTake) {
  EXPECT_EQ(length_words(0), "0 ns");
  EXPECT_EQ(length_words(1'500), "1 microseconds");
  EXPECT_EQ(length_words(250 * kMillisecond), "250 ms");
  EXPECT_EQ(length_words(60 * kSecond), "60 s");
  EXPECT_EQ(length_words(90 * 60 * kSecond), "90 min");
  EXPECT_EQ(length_words(24 * 3'600 * kSecond), "24 h");
  EXPECT_EQ(length_words(4'294'967'295 * kMillisecond), "49 days");
  EXPECT_EQ(length_words(UINT64_MAX), "584 years");
}

}  // namespace
}  // namespace thrum
