// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/word_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace thrum {
namespace {

TEST(WordMap, ClearFreesAllEntriesAtOnce) {
  WordMap map;
  EXPECT_EQ(map.get(8), 0u);
  map[8] = 1;
  map[16] = 2;
  EXPECT_EQ(map.get(8), 1u);
  map.clear();
  EXPECT_EQ(map.get(8), 0u);
  EXPECT_EQ(map[16], 0u) << "the value of the former filling";
}

TEST(WordMap, AgreesWithAStandardMap) {
  std::mt19937_64 random(1);
  WordMap map;
  for (int filling = 0; filling < 20; ++filling) {
    std::map<std::uint64_t, std::uint64_t> expected;
    const std::uint64_t keys = 1 + random() % 400;
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t key = random() % keys * 8;
      const std::uint64_t value = random();
      map[key] = expected[key] = value;
    }
    for (std::uint64_t key = 0; key < keys * 8; key += 8) {
      const auto found = expected.find(key);
      EXPECT_EQ(map.get(key), found == expected.end() ? 0 : found->second)
          << key << " of filling " << filling;
    }
    map.clear();
  }
}

}  // namespace
}  // namespace thrum
