// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/next_command.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

using Words = std::vector<std::string>;

WorkerOutcome ended(SearchEnd end) {
  WorkerOutcome outcome;
  outcome.report.result.end = end;
  return outcome;
}

std::string next(const WorkerOutcome& outcome, const CheckOptions& options, const Words& command,
                 const TestResult& test = {}) {
  return next_command(outcome, options, test, command);
}

TEST(NextCommand, GivesMoreOfWhatEndedTheSearch) {
  CheckOptions options;
  options.time_seconds = 20;
  options.executions = 50;
  options.steps = 300;
  EXPECT_EQ(next(ended(SearchEnd::time), options, {"thrum", "check", "--time", "20", "p"}),
            "thrum check --time 200 p");
  EXPECT_EQ(
      next(ended(SearchEnd::executions), options, {"thrum", "check", "--executions=50", "p", "--", "-x"}),
      "thrum check --executions=500 p -- -x");
  WorkerOutcome cut = ended(SearchEnd::exhausted);
  ++cut.report.result.claims.cuts[static_cast<std::size_t>(Cut::steps)];
  EXPECT_EQ(next(cut, options, {"thrum", "check", "p", "--", "--steps", "1"}),
            "thrum check p --steps 3000 -- --steps 1");
  ++cut.report.result.claims.cuts[static_cast<std::size_t>(Cut::memory)];
  options.program_memory_bytes = std::uint64_t{1} << 30;
  EXPECT_EQ(next(cut, options, {"thrum", "check", "p"}), "thrum check p --program-memory 2G");
}

TEST(NextCommand, IsForAShell) {
  CheckOptions options;
  options.time_seconds = 1;
  TestResult test;
  test.test = "Queue.It's";
  EXPECT_EQ(
      next(ended(SearchEnd::time), options, {"thrum", "check", "a b", "--time", "1", "--test", "*"}, test),
      "thrum check 'a b' --time 10 --test 'Queue.It'\\''s'");
}

TEST(NextCommand, HasOneTestForSeveral) {
  CheckOptions options;
  options.time_seconds = 1;
  TestResult test;
  test.test = "b";
  EXPECT_EQ(next(ended(SearchEnd::time), options,
                 {"thrum", "check", "--test", "a", "--time=1", "p", "--test=b", "--", "--test"}, test),
            "thrum check --test b --time=10 p -- --test");
}

// A value that looks like an option is a value.
TEST(NextCommand, KnowsWhatIsAValue) {
  CheckOptions options;
  options.time_seconds = 1;
  EXPECT_EQ(next(ended(SearchEnd::time), options, {"thrum", "check", "--out", "--time", "p"}),
            "thrum check --out --time p --time 10");
}

// Only one strategy has a suite.
TEST(NextCommand, HasNoSuiteWithAnotherStrategy) {
  TestResult test;
  test.verdict = Verdict::inconclusive;
  test.covers = "assertions";
  CheckOptions options;
  EXPECT_EQ(next(ended(SearchEnd::exhausted), options,
                 {"thrum", "check", "--suite", "s", "--strategy", "unfolding", "--out", "--suite", "p",
                  "--suite=t", "--", "--suite", "u"},
                 test),
            "thrum check --strategy dpor --out --suite p -- --suite u");
  options.executions = 5;
  EXPECT_EQ(next(ended(SearchEnd::executions), options,
                 {"thrum", "check", "--executions", "5", "--suite", "s", "p"}, test),
            "thrum check --executions 50 --suite s p");
}

TEST(NextCommand, IsNoneWhereNoneIsKnownToHelp) {
  TestResult bug;
  bug.verdict = Verdict::bug;
  EXPECT_EQ(next(ended(SearchEnd::time), {}, {"thrum"}, bug), "");
  EXPECT_EQ(next(ended(SearchEnd::lost_control), {}, {"thrum"}), "");
  WorkerOutcome assumed = ended(SearchEnd::exhausted);
  assumed.report.result.claims.assumed_away = 3;
  EXPECT_EQ(next(assumed, {}, {"thrum"}), "");
}

}  // namespace
}  // namespace thrum
