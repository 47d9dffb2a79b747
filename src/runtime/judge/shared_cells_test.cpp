// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/shared_cells.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace thrum {
namespace {

std::vector<std::uint64_t> shared_of(SharedCells& cells, std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> found;
  cells.for_each_shared(first, last, [&](std::uint64_t cell) { found.push_back(cell); });
  return found;
}

TEST(SharedCells, AreThoseOfTwoThreads) {
  SharedCells cells;
  EXPECT_FALSE(cells.touch(3, 100));
  EXPECT_FALSE(cells.touch(3, 100));
  EXPECT_FALSE(cells.touch(0, 101));
  EXPECT_EQ(cells.count(), 0u);
  EXPECT_TRUE(cells.touch(4, 100));
  EXPECT_TRUE(cells.touch(3, 100)) << "for good";
  EXPECT_EQ(cells.count(), 1u);
  EXPECT_EQ(shared_of(cells, 0, ~std::uint64_t{0}), std::vector<std::uint64_t>{100});
}

// Against sets of threads, with cells near each other and far apart, and ranges small and large.
TEST(SharedCells, AgreeWithSetsOfThreads) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) { return std::uint64_t{random()} % n; };
  SharedCells cells;
  std::map<std::uint64_t, std::set<ThreadId>> threads;
  for (int i = 0; i < 20'000; ++i) {
    const auto thread = static_cast<ThreadId>(below(20) == 0 ? 1 + below(3) : 0);
    const std::uint64_t cell = below(8) << 40 | below(2000);
    if (below(50) != 0) {
      threads[cell].insert(thread);
      ASSERT_EQ(cells.touch(thread, cell), threads[cell].size() > 1);
      continue;
    }
    const std::uint64_t last = cell + (std::uint64_t{1} << below(i % 2 == 0 ? 6 : 44));
    const bool touches = i % 10 == 0;
    if (touches) cells.touch_used(thread, cell, last);
    std::vector<std::uint64_t> expected;
    for (auto used = threads.lower_bound(cell); used != threads.end() && used->first <= last; ++used) {
      if (touches) used->second.insert(thread);
      if (used->second.size() > 1) expected.push_back(used->first);
    }
    ASSERT_EQ(shared_of(cells, cell, last), expected);
  }
  EXPECT_GT(cells.count(), 100u);
}

// Two processes, one of which learns from the other now and then, against one that has seen all.
TEST(SharedCells, LearnFromOthers) {
  std::mt19937 random(8);
  const auto below = [&](std::uint64_t n) { return std::uint64_t{random()} % n; };
  SharedCells one, other, both;
  for (int i = 0; i < 5'000; ++i) {
    const auto thread = static_cast<ThreadId>(below(3));
    const std::uint64_t cell = below(8) << 40 | below(500);
    (below(2) == 0 ? one : other).touch(thread, cell);
    both.touch(thread, cell);
    if (below(300) != 0) continue;
    ByteWriter out;
    other.save(out);
    ByteReader in(out.bytes());
    one.load(in);
    ASSERT_TRUE(in.ok() && in.at_end());
    ASSERT_EQ(shared_of(one, 0, ~std::uint64_t{0}), shared_of(both, 0, ~std::uint64_t{0}));
  }
  EXPECT_LT(other.count(), both.count());
}

}  // namespace
}  // namespace thrum
