// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/statistics_text.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

StatisticsResult statistics() {
  StatisticsResult result;
  result.cost = "preemptions";
  result.classes = 3;
  result.levels = {{0, 2, 2, 0, 0.5}, {2, 10, 1, 1, std::nullopt}};
  return result;
}

TextStyle style() {
  TextStyle style;
  style.statistics = true;
  return style;
}

TEST(StatisticsText, IsATable) {
  TestResult test;
  test.statistics = statistics();
  EXPECT_EQ(statistics_text(test, style()),
            "Statistics:\n"
            "  preemptions     executions        classes   bugs  completed after\n"
            "            0              2              2      0  0.50 s\n"
            "            2             10              1      1  -\n"
            "  3 classes of executions, 4.00 executions each\n");
  EXPECT_EQ(statistics_text(test, {}), "") << "only where it is asked for";
}

TEST(StatisticsText, SaysWhatWasNotCounted) {
  TestResult test;
  test.statistics = statistics();
  test.statistics->classes.reset();
  test.statistics->levels = {{0, 2, std::nullopt, 0, std::nullopt}};
  test.statistics->in_vain = 1;
  test.statistics->before = 7;
  EXPECT_EQ(statistics_text(test, style()),
            "Statistics:\n"
            "  preemptions     executions        classes   bugs  completed after\n"
            "            0              2              -      0  -\n"
            "  1 broken off; 7 before the search had to begin anew, not counted here\n");
}

TEST(StatisticsText, NamesWaitingLoops) {
  TestResult test;
  test.statistics = statistics();
  test.statistics->loops = {{{"", "", "/a/lock.cpp", 12, "lock"}, "await", "its read waits"},
                            {{}, "ordinary", "its rounds differ"}};
  const std::string text = statistics_text(test, style());
  EXPECT_TRUE(
      text.ends_with("  waiting loop  kind\n"
                     "  lock.cpp:12   await: its read waits\n"
                     "  ?             ordinary: its rounds differ\n"))
      << text;
}

TEST(StatisticsText, OfEachHeap) {
  TestResult test;
  test.heaps.resize(2);
  test.heaps[0].heap = "lifo";
  test.heaps[0].statistics = test.heaps[1].statistics = statistics();
  test.heaps[1].heap = "fresh";
  std::string text = statistics_text(test, style());
  EXPECT_NE(text.find("Statistics (--heap lifo):\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Statistics (--heap fresh):\n"), std::string::npos) << text;
  test.heaps.clear();
  EXPECT_EQ(statistics_text(test, style()), "") << "it was not run";
}

TEST(StatisticsText, LocalStatesStandThereWithoutTheRest) {
  TestResult test;
  test.statistics = statistics();
  test.statistics->local_states = CoverageResult{12, true, 3};
  const std::string text = statistics_text(test, {});
  EXPECT_TRUE(text.starts_with("Local states met: 12 (the last new one in execution 3 of ")) << text;
  test.statistics->local_states->is_exact = false;
  EXPECT_TRUE(statistics_text(test, {}).starts_with("Local states met: about 12 (")) << text;
  test.statistics->local_states.reset();
  test.statistics->value_sequences = CoverageResult{5, true, 2};
  EXPECT_TRUE(statistics_text(test, {}).starts_with("Sequences of values met: 5 (the last new one in "));
}

}  // namespace
}  // namespace thrum
