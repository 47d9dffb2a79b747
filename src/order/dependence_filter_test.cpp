// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/dependence_filter.hpp"

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
      filter.for_each_before(i, mark_of(step), [&](std::uint32_t earlier) {
        found.push_back(earlier);
        return false;
      });
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
                         [&](std::uint32_t) { return ++found < 0; });
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
  const auto visit = [&](std::uint32_t step) {
    found.push_back(step);
    return false;
  };
  filter.for_each_before(2, here, visit);
  EXPECT_EQ(found, std::vector<std::uint32_t>{1});
  found.clear();
  filter.for_each_before(1, here, visit);
  EXPECT_TRUE(found.empty());
}

TEST(DependenceFilterTest, LoadsFindTheChangesAmongManyLoads) {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    DependenceFilter filter;
    constexpr std::uint32_t kSteps = 10'000;
    std::vector<std::uint32_t> changes;
    const auto kept = static_cast<std::uint32_t>(random() % kSteps);
    for (std::uint32_t i = 0; i < kSteps + kept; ++i) {
      const std::uint32_t step = i < kSteps ? i : i - kept;  // some are taken back and set again
      if (i == kSteps) std::erase_if(changes, [&](std::uint32_t one) { return one >= step; });
      const bool is_change = random() % 3000 == 0;
      filter.set(step, DependenceFilter::mark(0x100, 0x104, !is_change));
      if (is_change) changes.push_back(step);
    }
    std::vector<std::uint32_t> found;
    filter.for_each_before(kSteps, DependenceFilter::mark(0x100, 0x104, true), [&](std::uint32_t step) {
      found.push_back(step);
      return false;
    });
    std::reverse(found.begin(), found.end());
    EXPECT_EQ(found, changes);
  }
}

TEST(DependenceFilterTest, EndsWhenItIsTold) {
  DependenceFilter filter;
  const auto here = DependenceFilter::mark(0x100, 0x104, false);
  for (std::uint32_t i = 0; i < 100; ++i) filter.set(i, here);
  std::uint32_t last = 100;
  filter.for_each_before(100, here, [&](std::uint32_t step) { return (last = step) == 90; });
  EXPECT_EQ(last, 90u);
}

}  // namespace
}  // namespace thrum
