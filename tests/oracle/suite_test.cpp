// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduced test suites of toy programs: their schedules, written as lines and run without the search, show
// every local state and every bug that the search has shown.
#include "campaign/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/explore.hpp"
#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"
#include "unfolding/unfolding_search.hpp"

namespace thrum {
namespace {

class Lines final : public SuiteTaker {
 public:
  explicit Lines(const ThreadNames& names) : names_(names) {}
  void add(const SuiteSchedule& schedule) override { lines.push_back(to_line(schedule, names_)); }
  void begin_again() override {
    lines.clear();
    ++begun_again;
  }
  std::vector<std::string> lines;
  int begun_again = 0;

 private:
  const ThreadNames& names_;
};

// Runs the schedules of the lines; each ends as its line says, by the same events. failures: what they show.
std::set<std::string> states_of(const std::vector<std::string>& lines, const ToyCode& code,
                                std::vector<Failure>& failures) {
  std::set<std::string> states;
  ToyProgram program(code);
  program.names().child(kMainThread, 9);  // so that ids are others
  program.record_local_states(&states);
  Trace trace;
  for (const std::string& line : lines) {
    const std::optional<SuiteSchedule> schedule = schedule_of_line(line, program.names());
    EXPECT_TRUE(schedule) << line;
    if (!schedule) continue;
    program.run(schedule->plan, nullptr, Wanted::all_events(), trace);
    EXPECT_EQ(trace.end, schedule->end) << line;
    if (trace.end == End::bug) failures.push_back(trace.failure);
    EXPECT_EQ(digest_of_events(trace, program.names()), schedule->events) << line;
  }
  return states;
}

class SuiteOf : public testing::TestWithParam<Family> {};

TEST_P(SuiteOf, ShowsWhatTheSearchHasShown) {
  std::uint64_t executions = 0, schedules = 0;
  for (std::uint64_t seed = 1; seed <= by_default(200) && !HasFailure(); ++seed) {
    const RandomProgram random = random_program(seed, GetParam(), 500);
    ToyProgram program(random.code);
    std::set<std::string> shown;
    program.record_local_states(&shown);
    UnfoldingSearch strategy;
    Lines suite(program.names());
    Limits limits = no_limits();
    limits.suite = &suite;
    const SearchResult result = explore(program, strategy, limits);
    if (result.end != SearchEnd::exhausted || !strategy.problem().empty()) continue;
    executions += result.executions;
    schedules += suite.lines.size();
    EXPECT_LE(suite.lines.size(), result.executions);
    EXPECT_EQ(static_cast<std::uint64_t>(suite.begun_again), strategy.counts().restarts);
    std::vector<Failure> failures;
    EXPECT_EQ(states_of(suite.lines, random.code, failures), shown) << "seed " << seed << "\n"
                                                                    << print(random.code);
    for (const FoundBug& bug : result.bugs)
      EXPECT_TRUE(
          std::ranges::any_of(failures, [&](const Failure& one) { return same_bug(one, bug.failure); }))
          << "seed " << seed << "\n"
          << print(random.code);
  }
  std::cout << executions << " executions, " << schedules << " schedules\n";
  EXPECT_GT(schedules, 0U);
}

INSTANTIATE_TEST_SUITE_P(Families, SuiteOf, testing::Values(Family::a, Family::c, Family::d),
                         [](const auto& one) { return std::string(name_of(one.param)); });

}  // namespace
}  // namespace thrum
