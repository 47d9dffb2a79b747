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

CheckOptions options_of(std::vector<std::string> words) {
  CheckOptions options;
  words.emplace_back("program");
  options.given = read_options(options, words);
  validate(options);
  return options;
}

TEST(Tests, HaveOptionsOfTheirOwn) {
  const AnnouncedTest test = {"t",
                              {"--strategy=icb", "--bound=preemptions=2", "--executions=7", "--keep-going"}};
  const CheckOptions own = with_own_options(options_of({"--seed", "4"}), test);
  EXPECT_EQ(own.strategy, "icb");
  EXPECT_EQ(own.settings.limit, 2U);
  EXPECT_EQ(own.executions, 7U);
  EXPECT_TRUE(own.keep_going);
  EXPECT_EQ(own.settings.seed, 4U) << "what the test says nothing of is as on the command line";
  EXPECT_EQ(own.inputs, Names{"program"});
}

TEST(Tests, HaveNoOptionThatTheCommandLineGives) {
  const AnnouncedTest test = {"t", {"--strategy=dfs", "--bound=delays=3", "--executions=7"}};
  const CheckOptions own =
      with_own_options(options_of({"--strategy", "icb", "--bound", "none", "--executions", "0"}), test);
  EXPECT_EQ(own.strategy, "icb");
  EXPECT_EQ(own.settings.limit, std::nullopt);
  EXPECT_EQ(own.executions, 0U) << "also where it gives what it would be anyway";
  const CheckOptions bounded = options_of({"--bound", "preemptions=1,yields=3", "--strategy", "icb"});
  EXPECT_EQ(with_own_options(bounded, test).settings.limit, 1U);
  EXPECT_EQ(with_own_options(bounded, test).yields, 3U);
}

TEST(Tests, GiveWayWhereOptionsDoNotGoTogether) {
  const AnnouncedTest bounded = {"t", {"--bound=preemptions=2", "--steps=77"}};
  const CheckOptions own = with_own_options(options_of({"--strategy", "dpor"}), bounded);
  EXPECT_EQ(own.strategy, "dpor");
  EXPECT_EQ(own.settings.limit, std::nullopt);
  EXPECT_EQ(own.steps, 77U) << "which goes with any";
  const CheckOptions systematic =
      with_own_options(options_of({"--bound", "preemptions=1"}), {"t", {"--strategy=pct", "--depth=2"}});
  EXPECT_EQ(systematic.strategy, "auto");
  EXPECT_EQ(systematic.settings.limit, 1U);
}

TEST(Tests, HavePrioritiesOfTheirOwn) {
  const AnnouncedTest test = {"t", {"--strategy=best-first", "--priority=rand,pb", "--hang=4"}};
  const CheckOptions own = with_own_options(options_of({}), test);
  EXPECT_EQ(own.settings.priorities, (Names{"rand", "pb"}));
  EXPECT_EQ(own.hang_seconds, 4U);
  const CheckOptions other = with_own_options(options_of({"--strategy", "icb"}), test);
  EXPECT_EQ(other.strategy, "icb");
  EXPECT_EQ(other.settings.priorities, Names{}) << "they do not go with another strategy";
  EXPECT_EQ(other.hang_seconds, 4U);
}

TEST(Tests, HaveATimeOfTheirOwn) {
  const AnnouncedTest test = {"t", {"--time-per-test=2.5"}};
  const CheckOptions own = with_own_options(options_of({}), test);
  EXPECT_EQ(own.time_per_test_seconds, 2.5);
  EXPECT_EQ(own.time_seconds, 0) << "it has no share of what is for all";
  EXPECT_EQ(with_own_options(options_of({"--time", "9"}), test).time_per_test_seconds, 0);
  EXPECT_EQ(with_own_options(options_of({"--time-per-test", "9"}), test).time_per_test_seconds, 9);
}

std::string problem_with(const std::vector<std::string>& command_line,
                         const std::vector<std::string>& words) {
  try {
    with_own_options(options_of(command_line), {"t", words});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

// By the code that looks at the command line.
TEST(Tests, HaveNoWrongOptions) {
  const std::string begin = "the options of the test 't' in the program: ";
  EXPECT_EQ(problem_with({}, {"--races=never"}),
            begin + "--races: 'never' is unknown; it takes report, explore, ignore");
  EXPECT_EQ(problem_with({"--races", "report"}, {"--races=never"}).find(begin), 0U)
      << "also where it is overruled";
  EXPECT_EQ(problem_with({}, {"--strategy=dpor", "--bound=preemptions=1"}).find(begin + "--bound: with dpor"),
            0U);
  for (const char* word : {"--steps=0", "--executions=-1", "--seed=x", "--seed=-1", "--depth=1001",
                           "--time-per-test=0", "--early-timeouts=-1", "--no-such-option=1"})
    EXPECT_EQ(problem_with({}, {word}).find(begin), 0U) << word;
}

}  // namespace
}  // namespace thrum
