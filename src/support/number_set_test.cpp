// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/number_set.hpp"

#include <gtest/gtest.h>

#include <set>

namespace thrum {
namespace {

TEST(NumberSet, HoldsWhatWasPutIn) {
  NumberSet set;
  std::set<std::uint64_t> expected;
  std::uint64_t number = 1;
  for (int i = 0; i < 5'000; ++i) {
    number = number * 6364136223846793005u + 1442695040888963407u;
    std::uint64_t small = number >> 52;  // so that many occur twice
    EXPECT_EQ(set.has(small + 2), expected.contains(small + 2));
    EXPECT_EQ(set.insert(small + 2), expected.insert(small + 2).second);
    EXPECT_EQ(set.insert(number), expected.insert(number).second);
    EXPECT_TRUE(set.has(number));
  }
  EXPECT_EQ(set.size(), expected.size());
  std::set<std::uint64_t> held;
  set.for_each([&](std::uint64_t one) { held.insert(one); });
  EXPECT_EQ(held, expected);
}

TEST(NumberSet, ZeroIsANumberToo) {
  NumberSet set;
  EXPECT_FALSE(set.has(0));
  EXPECT_TRUE(set.insert(0));
  EXPECT_FALSE(set.insert(0));
  EXPECT_TRUE(set.has(0));
  EXPECT_EQ(set.size(), 1u);
}

// Addresses of code and of cells lie in a row; no search may take long for that.
TEST(NumberSet, IsAtMostHalfFull) {
  NumberSet set;
  for (std::uint64_t address = 0x400000; address < 0x500000; address += 16) {
    set.insert(address);
    EXPECT_LE(2 * set.size(), set.memory().size());
  }
  NumberSet reserved;
  reserved.reserve(1000);
  const std::size_t slots = reserved.memory().size();
  for (std::uint64_t number = 0; number < 1000; ++number) reserved.insert(8 * number);
  EXPECT_EQ(reserved.memory().size(), slots);
}

}  // namespace
}  // namespace thrum
