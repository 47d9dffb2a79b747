// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/late_timeouts.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

TEST(LateTimeouts, AreOneAssumptionThatNamesThemAll) {
  Report report;
  std::vector<Assumption> list;
  add_late_timeouts(report, {}, list);
  EXPECT_TRUE(list.empty());
  report.notes = {{kLateWait, 0, "60 s"}, {"uncontrolled-call", 1, "other"}, {kLateWait, 3, "30 s"}};
  add_late_timeouts(report, {}, list);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].kind, "late-timeouts");
  EXPECT_EQ(list[0].count, 2u);
  EXPECT_EQ(
      list[0].text,
      "Waits, sleeps and timers of more than 10 s (--early-timeouts) ran out only where nothing else could "
      "go on, and waits of an hour or more not even there: 60 s, 30 s (it ran out).");
}

TEST(LateTimeouts, NameSoManyAtMost) {
  Report report;
  report.notes.assign(11, {kLateWait, 0, "1 min"});
  CheckOptions options;
  options.early_timeouts_seconds = 0.5;
  std::vector<Assumption> list;
  add_late_timeouts(report, options, list);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].count, 11u);
  EXPECT_NE(list[0].text.find("more than 0.5 s"), std::string::npos) << list[0].text;
  EXPECT_NE(list[0].text.find("1 min and 3 more."), std::string::npos) << list[0].text;
}

}  // namespace
}  // namespace thrum
