// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/race_names.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

constexpr std::uint64_t kBytes = 0x80'0000;

TEST(RaceNames, OfModulesThatAreNotLoadedAreLeftOut) {
  KnownRaces races;
  KnownRace foreign;
  foreign.first = foreign.second = {Place::Space::module, 0xffff, 0, 0x10};
  foreign.bytes = {Place::Space::other, 0, 0, kBytes};
  foreign.size = 4;
  add_by_names(races, std::vector{foreign});
  EXPECT_EQ(races.count(), 0u);
  EXPECT_FALSE(races.promotes(0x3000, kBytes, 4));
}

}  // namespace
}  // namespace thrum
