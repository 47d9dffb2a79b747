// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace thrum {
namespace {

TestResult test_of(const std::string& name, std::vector<LevelResult> levels) {
  TestResult test;
  test.name = name;
  test.strategy = "icb";
  test.verdict = Verdict::exhausted;
  StatisticsResult statistics;
  statistics.cost = "preemptions";
  statistics.levels = std::move(levels);
  statistics.classes = 0;
  for (const LevelResult& level : statistics.levels) {
    if (level.classes) statistics.classes = *statistics.classes + *level.classes;
  }
  statistics.growth = {{1, 1, 0}, {10, 4, 0}};
  test.statistics = statistics;
  return test;
}

TEST(Plot, CoverageIsThePartOfTheClassesWithinTheBound) {
  Result result;
  result.tests = {test_of("main", {{0, 5, 2, 0, {}}, {1, 20, 1, 0, {}}, {3, 90, 1, 0, {}}})};
  Chart chart = coverage_by_bound(result);
  ASSERT_EQ(chart.curves.size(), 1u);
  EXPECT_EQ(chart.curves[0].name, "main (icb)");
  using Points = std::vector<std::pair<double, double>>;
  EXPECT_EQ(chart.curves[0].points, (Points{{0, 50}, {1, 75}, {3, 100}}));
  EXPECT_EQ(chart.note, "of all that there is within the bound");
  result.tests[0].verdict = Verdict::inconclusive;
  EXPECT_NE(coverage_by_bound(result).note.find("of what was seen"), std::string::npos);
}

TEST(Plot, CoverageIsOfExecutionsWhereClassesWereNotCounted) {
  Result result;
  result.tests = {test_of("main", {{0, 25, {}, 0, {}}, {1, 75, {}, 0, {}}})};
  result.tests[0].statistics->classes.reset();
  Chart chart = coverage_by_bound(result);
  ASSERT_EQ(chart.curves.size(), 1u);
  EXPECT_EQ(chart.curves[0].points[0].second, 25);
  EXPECT_NE(chart.y.label.find("executions"), std::string::npos);
}

// Where a class is seen first says nothing of the least that it costs then.
TEST(Plot, OnlySearchesInOrderOfCostCoverBounds) {
  Result result;
  result.tests = {test_of("main", {{0, 5, 2, 0, {}}}), test_of("main", {{0, 5, 2, 0, {}}})};
  result.tests[0].strategy = "dfs";
  ASSERT_EQ(coverage_by_bound(result).curves.size(), 1u);
  EXPECT_EQ(coverage_by_bound(result).curves[0].name, "main (icb)");
  EXPECT_EQ(coverage_growth(result).curves.size(), 2u);
  result.tests.pop_back();
  EXPECT_NE(coverage_by_bound(result).note.find("icb"), std::string::npos);
}

TEST(Plot, ACurveForEachSearch) {
  Result result;
  result.tests = {test_of("A", {{0, 5, 4, 0, {}}}), test_of("B", {{0, 5, 4, 0, {}}}), TestResult()};
  result.tests[1].heaps.resize(2);
  result.tests[1].heaps[1].heap = "fresh";
  result.tests[1].heaps[1].statistics = result.tests[1].statistics;
  EXPECT_EQ(coverage_by_bound(result).curves.size(), 3u);
  Chart growth = coverage_growth(result);
  ASSERT_EQ(growth.curves.size(), 3u);
  EXPECT_EQ(growth.curves[2].name, "B (icb, --heap fresh)");
  EXPECT_EQ(growth.curves[0].points.back(), (std::pair<double, double>(10, 4)));
}

TEST(Plot, LocalStatesWhereTheyWereCounted) {
  Result result;
  result.tests = {test_of("A", {{0, 5, 4, 0, {}}})};
  EXPECT_EQ(coverage_plot(result).find("local states"), std::string::npos);
  result.tests[0].statistics->growth[1].local_states = 7;
  EXPECT_TRUE(values_growth(result).curves.empty());
  const Chart chart = local_states_growth(result);
  ASSERT_EQ(chart.curves.size(), 1u);
  EXPECT_EQ(chart.curves[0].points, (std::vector<std::pair<double, double>>{{10, 7}}));
  EXPECT_NE(coverage_plot(result).find("local states met"), std::string::npos);
}

TEST(Chart, TicksAreRoundAndFew) {
  for (double most : {1.0, 3.0, 7.0, 12.0, 35.0, 99.0, 1234.0, 3e9}) {
    double least = 0;
    double greatest = most;
    std::vector<double> linear = ticks({"", false, false, true}, least, greatest);
    EXPECT_GE(greatest, most);
    EXPECT_LE(linear.size(), 14u) << most;
    EXPECT_GE(linear.size(), 2u) << most;
    EXPECT_EQ(linear.back(), greatest);
    for (double tick : linear) EXPECT_EQ(tick, std::floor(tick));
    greatest = most;
    std::vector<double> powers = ticks({"", true, false, false}, least, greatest);
    EXPECT_EQ(least, 1);
    EXPECT_GE(greatest, most);
    EXPECT_LE(powers.size(), 10u) << most;
    EXPECT_GE(powers.size(), 2u) << most;
  }
}

// The places of all numbers in a picture, so that none lies outside or is no number.
TEST(Chart, AllLiesInThePicture) {
  Result result;
  for (int i = 0; i < 9; ++i)
    result.tests.push_back(test_of("T" + std::to_string(i), {{0, 5, 4, 0, {}}, {40, 7, 3, 0, {}}}));
  std::string svg = coverage_plot(result);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  const std::size_t size = svg.find("width=\"");
  ASSERT_NE(size, std::string::npos);
  double width = 0;
  double height = 0;
  ASSERT_EQ(std::sscanf(svg.c_str() + size, "width=\"%lf\" height=\"%lf\"", &width, &height), 2);
  int points = 0;
  for (std::size_t i = 0; i < svg.size(); ++i) {
    double x = 0;
    double y = 0;
    const bool draws = svg[i] == 'M' || svg[i] == 'L';
    if (!draws || std::sscanf(svg.c_str() + i + 1, "%lf %lf", &x, &y) != 2) continue;
    EXPECT_LE(x, width);
    EXPECT_LE(y, height);
    ++points;
  }
  EXPECT_GE(points, 36);
}

TEST(Chart, NamesAreText) {
  Result result;
  result.tests = {test_of("Queue<int>.\"push\" & pop\x01 " + std::string(200, 'x'), {{0, 5, 4, 0, {}}})};
  std::string svg = coverage_plot(result);
  EXPECT_NE(svg.find("Queue&lt;int&gt;.&quot;push&quot; &amp; pop? xxx"), std::string::npos);
  EXPECT_EQ(svg.find(std::string(100, 'x')), std::string::npos) << "long names are cut";
}

TEST(Chart, OfNothing) {
  std::string svg = coverage_plot({});
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace thrum
