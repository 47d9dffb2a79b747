// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/tests.hpp"

#include <gtest/gtest.h>

#include "verdict/error.hpp"

namespace thrum {
namespace {

using Names = std::vector<std::string>;

TEST(Tests, AreSelectedByGlobs) {
  const Names all = {"Queue.Push", "Queue.Pop", "Stack.Push", "Suite/Typed.Push/0"};
  CheckOptions options;
  EXPECT_EQ(select_tests(all, options), all);
  options.tests = {"Queue.*"};
  EXPECT_EQ(select_tests(all, options), (Names{"Queue.Push", "Queue.Pop"}));
  options.tests = {"*.Push", "*/0"};
  EXPECT_EQ(select_tests(all, options), (Names{"Queue.Push", "Stack.Push", "Suite/Typed.Push/0"}))
      << "in the program's order, and a star stands for slashes too";
  EXPECT_TRUE(is_asked_for("Stack.Push", options));
  EXPECT_FALSE(is_asked_for("main", options));
  options.tests = {"a [name] *"};
  EXPECT_TRUE(is_asked_for("a [name] *", options)) << "a name is a name first";
}

TEST(Tests, AGlobForNoneIsAnError) {
  CheckOptions options;
  options.tests = {"Queue.*", "Queeu.*"};
  EXPECT_THROW(select_tests({"Queue.Push"}, options), UserError);
  EXPECT_THROW(select_tests({}, CheckOptions{}), UserError);
}

TEST(Tests, ShareTheTime) {
  CheckOptions options;
  options.time_seconds = 60;
  EXPECT_DOUBLE_EQ(time_for_test(options, 0, 30), 2);
  EXPECT_DOUBLE_EQ(time_for_test(options, 10, 5), 10) << "what earlier tests left over";
  EXPECT_GT(time_for_test(options, 61, 5), 0) << "0 would be no limit";
  options.time_per_test_seconds = 20;
  EXPECT_DOUBLE_EQ(time_for_test(options, 0, 30), 20);
  EXPECT_DOUBLE_EQ(time_for_test(options, 55, 10), 5);
  options.time_seconds = 0;
  EXPECT_DOUBLE_EQ(time_for_test(options, 1000, 10), 20);
  options.time_per_test_seconds = 0;
  EXPECT_DOUBLE_EQ(time_for_test(options, 1000, 10), 0);
}

}  // namespace
}  // namespace thrum
