// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/dependence_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace thrum {
namespace {

struct Touched {
  std::uint64_t begin;
  std::uint64_t end;
  bool only_loads;
};

DependenceFilter::Mark mark_of(const Touched& step) {
  return DependenceFilter::mark(step.begin, step.end, step.only_loads);
}

TEST(DependenceFilterTest, AllThatMeetAreFoundTheLatestFirst) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    DependenceFilter filter;
    std::vector<Touched> steps;
    const auto count = static_cast<std::uint32_t>(random() % 150);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t begin = 0x7000 + random() % 400;
      // Mostly within one word.
      const Touched step{begin, begin + (random() % 8 == 0 ? 1 + random() % 30 : 1), random() % 2 == 0};
      std::vector<std::uint32_t> found;
      filter.for_each_before(i, mark_of(step), [&](std::uint32_t earlier) { found.push_back(earlier); });
      EXPECT_TRUE(std::is_sorted(found.rbegin(), found.rend()));
      for (std::uint32_t earlier = 0; earlier < i; ++earlier) {
        const Touched& other = steps[earlier];
        const bool meet = step.begin < other.end && other.begin < step.end;
        if (!meet || (step.only_loads && other.only_loads)) continue;
        EXPECT_EQ(std::count(found.begin(), found.end(), earlier), 1) << earlier << " of " << i;
      }
      filter.set(i, mark_of(step));
      steps.push_back(step);
    }
  }
}

TEST(DependenceFilterTest, MostOthersAreNotFound) {
  DependenceFilter filter;
  constexpr std::uint32_t kSteps = 1000;
  for (std::uint32_t i = 0; i < kSteps; ++i)
    filter.set(i, DependenceFilter::mark(0x5000 + 64 * i, 0x5004 + 64 * i, false));
  int found = 0;
  filter.for_each_before(kSteps, DependenceFilter::mark(0x5000, 0x5004, true),
                         [&](std::uint32_t) { ++found; });
  EXPECT_GE(found, 1);
  EXPECT_LE(found, 50);
}

TEST(DependenceFilterTest, StepsThatWereSetAnewCountAsTheyAreNow) {
  DependenceFilter filter;
  const auto here = DependenceFilter::mark(0x100, 0x104, false);
  filter.set(0, here);
  filter.set(0, DependenceFilter::mark(0x200, 0x204, false));
  filter.set(1, here);
  std::vector<std::uint32_t> found;
  filter.for_each_before(2, here, [&](std::uint32_t step) { found.push_back(step); });
  EXPECT_EQ(found, std::vector<std::uint32_t>{1});
  found.clear();
  filter.for_each_before(1, here, [&](std::uint32_t step) { found.push_back(step); });
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace thrum
