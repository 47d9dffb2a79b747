// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a search that keeps waypoints where the forecast says so.
#include "runtime/shortcuts/prefix_forecast.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace thrum {
namespace {

constexpr std::uint32_t kPoints = 12;  // of each execution
constexpr std::uint32_t kCost = 6;     // of keeping a waypoint, in points

// For each execution of a depth-first search of a binary tree: the point up to which it is equal to the one
// before.
void search_depth_first(std::uint32_t departed, std::vector<std::uint32_t>& common) {
  common.push_back(departed);
  for (std::uint32_t point = kPoints; point > departed; --point) search_depth_first(point, common);
}

// A search in order of preemptions: the executions that depart from the same one come in a row, the last
// point first.
std::vector<std::uint32_t> search_level() {
  std::vector<std::uint32_t> common;
  for (std::uint32_t from = 1; from < kPoints; ++from) {
    for (std::uint32_t point = kPoints; point > from; --point) common.push_back(point);
  }
  return common;
}

struct Cost {
  std::uint64_t points = 0;  // repeated before executions depart, plus kCost for each waypoint
  std::uint64_t kept = 0;
};

Cost run(const std::vector<std::uint32_t>& common, bool by_forecast) {
  PrefixForecast forecast;
  std::vector<std::uint32_t> moments = {0};
  Cost cost;
  for (std::uint32_t points : common) {
    while (moments.back() > points) moments.pop_back();
    cost.points += points - moments.back();
    const std::uint32_t point = by_forecast ? forecast.best_point(moments.back(), kCost) : 0;
    if (point != 0 && point <= points) {
      EXPECT_GT(point, moments.back());
      moments.push_back(point);
      cost.points += kCost;
      ++cost.kept;
    }
    forecast.note(points);
  }
  return cost;
}

// The expected shares are what the forecast achieves, with a small margin. One of them is exceeded without
// the lengths of earlier rows, without points after the last departure, or without the guess that a long row
// goes on.
TEST(PrefixForecast, SavesMostOfWhatDepthFirstSearchDoesAgain) {
  std::vector<std::uint32_t> common;
  search_depth_first(0, common);
  ASSERT_EQ(common.size(), std::size_t{1} << kPoints);
  const Cost without = run(common, false);
  const Cost with = run(common, true);
  EXPECT_LT(100 * with.points, 29 * without.points);
}

TEST(PrefixForecast, SavesWhereExecutionsThatDepartFromOneLieSideBySide) {
  std::vector<std::uint32_t> common;
  for (int round = 0; round < 20; ++round) {
    for (std::uint32_t points : search_level()) common.push_back(points);
  }
  const Cost without = run(common, false);
  const Cost with = run(common, true);
  EXPECT_LT(200 * with.points, 81 * without.points);
}

TEST(PrefixForecast, KeepsNothingWhereItDoesNotPay) {
  // Every second execution departs at the beginning.
  std::vector<std::uint32_t> common;
  for (int i = 0; i < 1000; ++i) common.push_back(i % 2 == 0 ? kPoints : 0);
  EXPECT_EQ(run(common, true).kept, 0u);
}

TEST(PrefixForecast, IsNeverBeforeTheBeginningNorBeyondWhatWasSeen) {
  PrefixForecast forecast;
  EXPECT_EQ(forecast.best_point(0, 1), 0u);
  for (int i = 0; i < 100; ++i) forecast.note(1'000'000);
  EXPECT_GT(forecast.best_point(5, kCost), 5u);
  EXPECT_EQ(forecast.best_point(2'000'000, kCost), 0u);
}

TEST(PrefixForecast, ForgetsAll) {
  PrefixForecast forecast;
  for (int i = 0; i < 100; ++i) forecast.note(i % 10 == 0 ? 1 : kPoints);
  forecast.note(1);
  EXPECT_GT(forecast.best_point(1, kCost), 1u);
  forecast.forget();
  EXPECT_EQ(forecast.best_point(1, kCost), 0u);
}

}  // namespace
}  // namespace thrum
