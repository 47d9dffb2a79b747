// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/known_races.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

constexpr std::uint64_t kFirstCode = 0x1000;  // places in code
constexpr std::uint64_t kSecondCode = 0x2000;
constexpr std::uint64_t kOtherCode = 0x3000;
constexpr std::uint64_t kBytes = 0x80'0000;

// A race of 8 bytes at kBytes with 4 bytes at kBytes + 4.
Failure race(std::uint64_t first, std::uint64_t second, std::uint64_t bytes = kBytes) {
  Failure failure;
  failure.kind = BugKind::data_race;
  failure.accesses.resize(2);
  failure.accesses[0].code = first;
  failure.accesses[0].address = bytes;
  failure.accesses[0].size = 8;
  failure.accesses[1].code = second;
  failure.accesses[1].address = bytes + 4;
  failure.accesses[1].size = 4;
  return failure;
}

TEST(KnownRaces, HoldInBothDirections) {
  KnownRaces races;
  EXPECT_FALSE(races.holds(kFirstCode, kSecondCode));
  races.add(race(kFirstCode, kSecondCode));
  EXPECT_TRUE(races.holds(kFirstCode, kSecondCode));
  EXPECT_TRUE(races.holds(kSecondCode, kFirstCode));
  EXPECT_FALSE(races.holds(kFirstCode, kFirstCode)) << "the place does not race with itself";
}

TEST(KnownRaces, PromoteThePlacesAndTheBytesThatBothAccess) {
  KnownRaces races;
  races.add(race(kFirstCode, kSecondCode));
  EXPECT_TRUE(races.promotes(kFirstCode, 0, 1)) << "wherever it accesses";
  EXPECT_TRUE(races.promotes(kSecondCode, 0, 1));
  EXPECT_FALSE(races.promotes(kOtherCode, kBytes, 4)) << "only one of the two accesses these bytes";
  EXPECT_TRUE(races.promotes(kOtherCode, kBytes, 5)) << "the last byte is common";
  EXPECT_TRUE(races.promotes(kOtherCode, kBytes + 7, 1));
  EXPECT_FALSE(races.promotes(kOtherCode, kBytes + 8, 4)) << "behind them";
}

TEST(KnownRaces, AnExecutionUsesTheFirstOnes) {
  KnownRaces races;
  races.add(race(kFirstCode, kSecondCode));
  races.add(race(kOtherCode, kOtherCode, kBytes + 64));
  EXPECT_EQ(races.count(), 2u);
  races.use(1);
  EXPECT_EQ(races.count(), 1u);
  EXPECT_TRUE(races.holds(kFirstCode, kSecondCode));
  EXPECT_FALSE(races.holds(kOtherCode, kOtherCode));
  EXPECT_FALSE(races.promotes(kOtherCode, kBytes + 64 + 4, 1));
  races.use(2);
  EXPECT_TRUE(races.holds(kOtherCode, kOtherCode));
  EXPECT_TRUE(races.promotes(kOtherCode, kBytes + 64 + 4, 1));
}

}  // namespace
}  // namespace thrum
