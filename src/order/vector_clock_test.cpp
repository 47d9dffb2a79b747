// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/vector_clock.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <random>

namespace thrum {
namespace {

constexpr std::size_t kThreads = 21;  // more than are stored in place

// Clocks advance, learn from each other, are forgotten, saved and loaded; compared with plain arrays.
TEST(VectorClock, IsAsAnArray) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::array<VectorClock, 4> clocks;
    std::array<std::array<std::uint32_t, kThreads>, 4> arrays{};
    for (int round = 0; round < 60; ++round) {
      const std::size_t one = random() % clocks.size();
      const std::size_t other = random() % clocks.size();
      const std::size_t thread = random() % (seed % kThreads + 1);
      switch (random() % 8) {
        case 0:
          clocks[one].clear();
          arrays[one] = {};
          break;
        case 1:
          clocks[one].assign(clocks[other]);
          arrays[one] = arrays[other];
          break;
        case 2: {
          std::vector<std::uint32_t> words;
          clocks[other].save(words);
          EXPECT_EQ(clocks[one].load(words.data()), words.data() + words.size());
          arrays[one] = arrays[other];
          break;
        }
        case 3:
        case 4:
          clocks[one].join(clocks[other]);
          std::transform(arrays[one].begin(), arrays[one].end(), arrays[other].begin(), arrays[one].begin(),
                         [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
          break;
        default: clocks[one].advance(thread); ++arrays[one][thread];
      }
      for (std::size_t i = 0; i < kThreads; ++i) ASSERT_EQ(clocks[one][i], arrays[one][i]) << i;
    }
  }
}

}  // namespace
}  // namespace thrum
