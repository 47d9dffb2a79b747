// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/verdict.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace thrum {
namespace {

// A search that ended as it should: everything was run.
WorkerOutcome exhausted() {
  WorkerOutcome outcome;
  Report& report = outcome.report;
  report.started_threads = true;
  report.result.end = SearchEnd::exhausted;
  report.result.executions = 6;
  report.result.guarantee.complete = true;
  report.result.guarantee.exhausted = true;
  report.result.guarantee.bounds = {{Base::nonpreemptive, std::nullopt, 2}};
  return outcome;
}

WorkerOutcome within_bound() {
  WorkerOutcome outcome = exhausted();
  outcome.report.result.guarantee.complete = false;
  outcome.report.result.guarantee.bounds = {{Base::nonpreemptive, 2, 2}};
  return outcome;
}

bool assumes(const TestResult& test, const std::string& kind) {
  return std::any_of(test.assumptions.begin(), test.assumptions.end(),
                     [&](const Assumption& assumption) { return assumption.kind == kind; });
}

void expect(const WorkerOutcome& outcome, const CheckOptions& options, Verdict verdict, bool complete,
            int code) {
  TestResult test = judge(outcome, options);
  EXPECT_EQ(test.verdict, verdict) << test.reason;
  EXPECT_EQ(test.complete, complete) << test.reason;
  EXPECT_EQ(exit_code(outcome, options, test), code) << test.reason;
  EXPECT_NE(test.reason, "");
  EXPECT_EQ(assumes(test, "races-not-checked"), options.races == "ignore");
  EXPECT_TRUE(assumes(test, "sequential-consistency"));
}

TEST(Judge, Exhausted) {
  expect(exhausted(), {}, Verdict::exhausted, true, 0);
  expect(within_bound(), {}, Verdict::exhausted, false, 0);
  EXPECT_EQ(judge(exhausted(), {}).guarantee, "every schedule");
  EXPECT_EQ(judge(within_bound(), {}).guarantee, "every schedule with up to 2 preemptions");
}

// A search by reads-from covers no deadlocks and no data races.
TEST(Judge, ClaimsAssertionsAlone) {
  WorkerOutcome outcome = exhausted();
  Guarantee& guarantee = outcome.report.result.guarantee;
  guarantee = {};
  guarantee.exhausted = true;
  guarantee.covers = Covers::assertions;
  expect(outcome, {}, Verdict::inconclusive, false, 0);
  const TestResult test = judge(outcome, {});
  EXPECT_EQ(test.covers, "assertions");
  EXPECT_EQ(test.guarantee, "every failed assertion and crash, but neither deadlocks nor data races");
  EXPECT_EQ(test.reason, "a deadlock or a data race may have been missed (with --strategy dpor none is)");
  CheckOptions strict;
  strict.require_exhausted = true;
  EXPECT_EQ(exit_code(outcome, strict, judge(outcome, strict)), kExitInconclusive);
  CheckOptions ignoring;
  ignoring.races = "ignore";
  EXPECT_TRUE(judge(outcome, ignoring).guarantee.starts_with("nothing"));
  guarantee.exhausted = false;
  EXPECT_EQ(judge(outcome, {}).guarantee, "nothing: no bound was completed");
  EXPECT_EQ(judge(exhausted(), {}).covers, "executions");
}

TEST(Judge, SaysSoWhereAtomicsAskedForLessThanSequentialConsistency) {
  for (bool bounded : {false, true}) {
    WorkerOutcome outcome = bounded ? within_bound() : exhausted();
    outcome.report.notes.push_back({"weaker-atomics", 2, "2 atomics asked for less."});
    TestResult test = judge(outcome, {});
    EXPECT_EQ(test.reason, bounded ? "all schedules within the bound were run, under sequential consistency"
                                   : "all schedules were run, under sequential consistency");
    EXPECT_EQ(test.guarantee, bounded
                                  ? "every schedule with up to 2 preemptions, under sequential consistency"
                                  : "every schedule, under sequential consistency");
    EXPECT_EQ(test.complete, !bounded);
    test.verdict = Verdict::bug;
    test.suppressed = test.suppressed_without_loss = 1;
    weigh_bugs(test);
    EXPECT_TRUE(test.reason.ends_with("were run, under sequential consistency; 1 bug was suppressed"))
        << test.reason;
  }
}

TEST(Judge, RandomisedSearchesSayWhatTheirChanceWas) {
  WorkerOutcome outcome = within_bound();
  outcome.report.result.end = SearchEnd::executions;
  outcome.report.result.guarantee = {};
  EXPECT_FALSE(judge(outcome, {}).probability);
  Chance& chance = outcome.report.result.guarantee.chance.emplace();
  chance = {Chance::Of::bug_of_depth, std::log(0.0025), 3, 4, 10, 0, 99, false};
  TestResult test = judge(outcome, {});
  EXPECT_EQ(
      test.guarantee,
      "nothing for certain; each of 99 executions had a chance of at least 0.0025 to show a given bug of "
      "depth 3 (PCT: 1/(n k^(d-1)) for n = 4 threads, k = 10 steps, the most seen, and d = 3)");
  ASSERT_TRUE(test.probability);
  EXPECT_EQ(test.probability->of, "bug-of-depth");
  EXPECT_NEAR(test.probability->per_execution.value_or(0), 0.0025, 1e-12);
  EXPECT_EQ("nothing for certain; " + test.probability->text, test.guarantee);

  chance.log_least = -10'000 * std::log(10.0);
  EXPECT_NE(judge(outcome, {}).guarantee.find("10^-10000"), std::string::npos);
  chance = {Chance::Of::interleaving, std::log(0.1), 0, 0, 5, 0, 1, false};
  EXPECT_NE(judge(outcome, {}).guarantee.find("each of 1 execution had the same chance, 0.1,"),
            std::string::npos);
  chance = {Chance::Of::object_order, std::log(0.1), 0, 0, 5, 2, 7, false};
  EXPECT_NE(judge(outcome, {}).guarantee.find("a given one of 2 shared objects"), std::string::npos);
  for (Chance::Of of : {Chance::Of::bug_of_depth, Chance::Of::interleaving, Chance::Of::object_order}) {
    for (bool unfit : {false, true}) {
      chance = {of, std::nullopt, 3, 4, 10, 2, 0, unfit};
      test = judge(outcome, {});
      EXPECT_TRUE(test.guarantee.starts_with("nothing for certain; no number can be given"))
          << test.guarantee;
      EXPECT_FALSE(test.probability->per_execution);
      EXPECT_EQ(test.verdict, Verdict::inconclusive);
    }
  }
}

TEST(Judge, BudgetOfTheUser) {
  CheckOptions strict;
  strict.require_exhausted = true;
  for (SearchEnd end : {SearchEnd::time, SearchEnd::executions}) {
    WorkerOutcome outcome = within_bound();
    outcome.report.result.end = end;
    expect(outcome, {}, Verdict::inconclusive, false, 0);
    expect(outcome, strict, Verdict::inconclusive, false, 3);
    ++outcome.report.result.claims.cuts[static_cast<std::size_t>(Cut::steps)];
    expect(outcome, {}, Verdict::inconclusive, false, 3);
  }
}

TEST(Judge, ControlLost) {
  WorkerOutcome outcome = within_bound();
  outcome.report.result.end = SearchEnd::lost_control;
  outcome.report.result.lost_reason = "a schedule could not be followed again";
  expect(outcome, {}, Verdict::inconclusive, false, 3);
  EXPECT_EQ(judge(outcome, {}).reason, "a schedule could not be followed again");
}

TEST(Judge, CutExecutionsAndUncontrolledCalls) {
  WorkerOutcome cut = exhausted();
  cut.report.result.claims.cuts[static_cast<std::size_t>(Cut::steps)] = 2;
  expect(cut, {}, Verdict::inconclusive, false, 3);
  EXPECT_TRUE(assumes(judge(cut, {}), "steps-cut"));
  ASSERT_EQ(judge(cut, {}).cut.size(), 1u);
  EXPECT_EQ(judge(cut, {}).cut[0].kind, "steps");
  EXPECT_EQ(judge(cut, {}).cut[0].count, 2u);
  WorkerOutcome threads = exhausted();
  threads.report.result.claims.cuts[static_cast<std::size_t>(Cut::threads)] = 1;
  expect(threads, {}, Verdict::inconclusive, false, 3);
  EXPECT_EQ(judge(threads, {}).reason, "1 of 6 executions started more than 1024 threads that live at once");
  WorkerOutcome call = exhausted();
  call.report.notes = {{"uncontrolled-call", 1, "read was called", true}};
  expect(call, {}, Verdict::inconclusive, false, 3);
  EXPECT_EQ(judge(call, {}).reason, "read was called");
  WorkerOutcome note = exhausted();
  note.report.notes = {{"weaker-atomics", 3, "three atomics asked for less", false}};
  expect(note, {}, Verdict::exhausted, true, 0);
  EXPECT_TRUE(assumes(judge(note, {}), "weaker-atomics"));
}

TEST(Judge, WhereNoExecutionPassedTheAssumptionsNothingIsProved) {
  WorkerOutcome outcome = exhausted();
  outcome.report.result.claims.assumed_away = 6;
  expect(outcome, {}, Verdict::inconclusive, false, 3);
  EXPECT_EQ(judge(outcome, {}).reason, "no execution passed the assumptions, so nothing was checked");
  EXPECT_EQ(judge(outcome, {}).guarantee, "nothing: no execution passed the assumptions");
  outcome.report.result.claims.passed = 1;
  expect(outcome, {}, Verdict::exhausted, true, 0);
}

TEST(Judge, BugBeatsEverything) {
  WorkerOutcome outcome = exhausted();
  outcome.report.result.bugs.emplace_back();
  outcome.report.result.end = SearchEnd::lost_control;
  outcome.interrupted = true;
  expect(outcome, {}, Verdict::bug, false, 1);
}

TEST(Judge, Interrupted) {
  WorkerOutcome outcome = within_bound();
  outcome.report.result.end = SearchEnd::time;
  outcome.interrupted = true;
  expect(outcome, {}, Verdict::inconclusive, false, 3);
}

TEST(Judge, NoThreads) {
  WorkerOutcome outcome;
  outcome.report.result.end = SearchEnd::exhausted;
  outcome.report.result.executions = 1;
  expect(outcome, {}, Verdict::exhausted, true, 0);
  EXPECT_TRUE(assumes(judge(outcome, {}), "no-threads"));
}

TEST(Judge, ATestThatSkipsItself) {
  WorkerOutcome outcome = exhausted();
  outcome.report.executions_skipped = 6;
  outcome.report.skip_reason = "no network";
  expect(outcome, {}, Verdict::skipped, false, 0);
  EXPECT_EQ(judge(outcome, {}).reason, "no network");
  outcome.report.executions_skipped = 5;
  expect(outcome, {}, Verdict::exhausted, true, 0);
  EXPECT_TRUE(assumes(judge(outcome, {}), "executions-skipped"));
}

TEST(Judge, ADeathTestIsSkippedAndAnotherForkIsNot) {
  WorkerOutcome outcome;
  outcome.report.result.end = SearchEnd::lost_control;
  outcome.report.notes = {{"uncontrolled-call", 1, "the program calls fork", true}};
  expect(outcome, {}, Verdict::inconclusive, false, 3);
  TestResult death = judge(outcome, {}, true);
  EXPECT_EQ(death.verdict, Verdict::skipped);
  EXPECT_EQ(exit_code(outcome, {}, death), kExitDone);
  EXPECT_FALSE(is_death_test(outcome.report)) << "no stack says so";
}

TEST(Judge, TheShareOfTheTimeIsSaid) {
  WorkerOutcome outcome = within_bound();
  outcome.report.result.end = SearchEnd::time;
  CheckOptions options;
  EXPECT_EQ(judge(outcome, options, false, 60).reason, "the time ended (--time 60)");
  EXPECT_EQ(judge(outcome, options, false, 2).reason,
            "the time ended (2 s was this test's share of --time 60)");
  options.time_per_test_seconds = 2;
  EXPECT_EQ(judge(outcome, options, false, 2).reason, "the time ended (--time-per-test 2)");
}

TEST(Judge, TheWorseCodeIsTheWholes) {
  EXPECT_EQ(worse(kExitDone, kExitInconclusive), kExitInconclusive);
  EXPECT_EQ(worse(kExitBug, kExitInconclusive), kExitBug);
  EXPECT_EQ(worse(kExitBug, kExitInternal), kExitInternal);
}

std::string told(const TestResult& test, const std::string& kind) {
  for (const Assumption& assumption : test.assumptions) {
    if (assumption.kind == kind) return fmt::format("{}: {}", assumption.count, assumption.text);
  }
  return "";
}

TEST(Judge, FilesThatWereNotInstrumented) {
  const std::vector<LinkedModule> good = {{"/a/good", {true, {}}}};
  TestResult test = judge(exhausted(), {}, false, 0, good);
  EXPECT_FALSE(assumes(test, "uninstrumented-files"));
  EXPECT_FALSE(assumes(test, "instrumentation-unknown"));
  const std::vector<LinkedModule> modules = {
      {"/a/p", {true, {"a.c", "b.c", "b.c"}}}, {"/a/q.so", {false, {}}}, {"/a/r.so", {true, {"c.c"}}}};
  test = judge(exhausted(), {}, false, 0, modules);
  EXPECT_EQ(test.verdict, Verdict::exhausted) << "as with modules that are not instrumented";
  EXPECT_EQ(
      told(test, "uninstrumented-files"),
      "4: Files not instrumented: a.c, b.c (2 files) (in p), c.c (in r.so). What they do with memory is "
      "not seen, except through the calls that are intercepted.");
  EXPECT_EQ(told(test, "instrumentation-unknown").substr(0, 45),
            "1: Taken to be instrumented throughout: q.so.");
}

TEST(Judge, ALongListOfFilesIsCut) {
  std::vector<std::string> files(2, "a.c");
  for (char letter = 'b'; letter <= 'z'; ++letter) files.push_back(std::string(1, letter) + ".c");
  std::string text = told(judge(exhausted(), {}, false, 0, {{"p", {true, files}}}), "uninstrumented-files");
  EXPECT_NE(text.find("27: Files not instrumented: a.c (2 files), b.c, "), std::string::npos) << text;
  EXPECT_NE(text.find("t.c and 6 more (in p)"), std::string::npos) << text;
}

TEST(Judge, RacesIgnored) {
  CheckOptions options;
  options.races = "ignore";
  expect(exhausted(), options, Verdict::inconclusive, false, 0);
}

TEST(Judge, WhyOneWorkerSearchedThoughMoreWereAskedFor) {
  WorkerOutcome outcome = exhausted();
  outcome.report.alone = "its executions make files";
  CheckOptions options;
  options.jobs = 4;
  EXPECT_EQ(judge(outcome, options).one_worker, "its executions make files");
  options.jobs = 1;
  EXPECT_EQ(judge(outcome, options).one_worker, "");
}

TEST(Judge, KnownAndSuppressedBugsAreNoFailure) {
  WorkerOutcome outcome = exhausted();
  outcome.report.result.bugs.resize(2);
  TestResult test = judge(outcome, {});
  test.bugs.resize(2);
  test.bugs[0].known = true;
  weigh_bugs(test);
  EXPECT_EQ(test.reason, "2 bugs were found, 1 of which the baseline knows");
  EXPECT_EQ(exit_code(outcome, {}, test), kExitBug);
  test.bugs[1].known = true;
  weigh_bugs(test);
  EXPECT_EQ(test.verdict, Verdict::bug);
  EXPECT_EQ(test.reason, "2 bugs were found, all of which the baseline knows");
  EXPECT_EQ(exit_code(outcome, {}, test), kExitDone);
  test.bugs.clear();
  test.suppressed = 2;
  weigh_bugs(test);
  EXPECT_EQ(test.verdict, Verdict::inconclusive);
  EXPECT_FALSE(test.complete);
  EXPECT_EQ(test.reason, "2 bugs were found and suppressed; what comes after one was not run");
  EXPECT_EQ(exit_code(outcome, {}, test), kExitDone);
}

TEST(Judge, SpeaksOfFairSchedulesWhereOthersWereWithheld) {
  WorkerOutcome outcome = exhausted();
  EXPECT_FALSE(assumes(judge(outcome, {}), "fairness"));
  outcome.report.result.withheld = 3;
  TestResult test = judge(outcome, {});
  EXPECT_EQ(test.verdict, Verdict::exhausted);
  EXPECT_FALSE(test.complete);
  EXPECT_EQ(test.guarantee, "every fair schedule");
  EXPECT_EQ(test.reason, "all fair schedules were run");
  EXPECT_TRUE(assumes(test, "fairness"));
}

}  // namespace
}  // namespace thrum
