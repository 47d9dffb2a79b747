// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search by reads-from against all interleavings.
//
//   THRUM_ORACLE_READS_FROM  random programs of each family (200; 100000 are the full run)
//   THRUM_ORACLE_EXECUTIONS  of the larger ones, at most, by dependence (1000)
#include "search/reduction/reads_from_search.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "campaign/session.hpp"
#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/once_failed.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"
#include "search/reduction/dpor.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {
namespace {

constexpr std::size_t kInterleavingsMax = 1'500;

bool ended_by_itself(const Trace& trace) {
  return trace.end == End::finished || (trace.end == End::bug && trace.failure.kind == BugKind::deadlock);
}

// The class of an execution: of each step what it did and read from, written down here once more. orders: the
// operations on objects are in the order of the class. By dependence some of them commute.
std::string class_by_sources(const Trace& trace, const Locations& locations, const ThreadNames& names,
                             bool orders = true) {
  std::map<std::uint32_t, std::string> last;
  std::set<std::string> steps;
  for (const Event& event : trace.events) {
    if (!is_visible(event.operation)) continue;
    const std::string name = names.name(event.thread) + "@" + std::to_string(event.index);
    std::string text = name + " " + std::to_string(static_cast<int>(event.operation));
    if (event.outcome != Outcome::done) text += "!" + std::to_string(static_cast<int>(event.outcome));
    if (event.operation == Operation::choose) text += "=" + std::to_string(event.value);
    if (event.operation == Operation::signal && event.argument != 0)
      text += ">" + names.name(static_cast<ThreadId>(event.argument - 1));
    const std::uint32_t location = locations.find(event);
    if (location != Locations::kNone) {
      if (locations.reads(event, location) && (orders || !locations.is_object(location)))
        text += " from " + last[location];
      if (locations.writes(event, location)) last[location] = name;
    }
    steps.insert(text);
  }
  std::string all;
  for (const std::string& step : steps) all += step + "; ";
  return all;
}

struct Truth {
  std::set<std::string> classes;
  std::set<ToyBug> bugs;
  std::uint64_t interleavings = 0;
  bool orders = true;  // the classes have the order of operations on objects
};

// Of all interleavings, run one by one.
Truth truth_of(const ToyCode& code, Locations& locations) {
  Truth truth;
  ToyProgram program(code);
  std::vector<Plan> plans;
  Plan plan;
  Trace trace;
  Systematic all({Base::nonpreemptive, std::nullopt, false});
  while (all.next(plan)) {
    program.run(plan, all.advisor(), all.wanted(), trace);
    all.learn(plan, trace);
    plans.push_back(plan);
  }
  for (const bool learns : {true, false}) {
    for (const Plan& each : plans) {
      program.run(each, nullptr, Wanted::all_events(), trace);
      if (learns) {
        for (const Event& event : trace.events) {
          if (is_visible(event.operation)) locations.learn(event);
        }
        for (const RecordedAccess& access : trace.accesses) locations.learn(access);
        continue;
      }
      if (trace.end == End::bug) truth.bugs.insert(bug_of(trace.failure));
      if (ended_by_itself(trace)) truth.classes.insert(class_by_sources(trace, locations, program.names()));
    }
  }
  truth.interleavings = plans.size();
  return truth;
}

struct Sum {
  std::uint64_t interleavings = 0;
  std::uint64_t programs = 0;
  std::uint64_t covered = 0;
  ReadsFromSearch::Counts counts;
  void add(const ReadsFromSearch::Counts& other) {
    counts.classes += other.classes;
    counts.held += other.held;
    counts.vain += other.vain;
    counts.checks += other.checks;
    counts.undecided += other.undecided;
    counts.restarts += other.restarts;
  }
};

// The same, where there are too many interleavings: of one execution of each class by dependence. Nothing:
// the program is not of that size, or one that fails, whose classes are not all known then.
std::optional<Truth> truth_by_dependence(const ToyCode& code, std::uint64_t executions_max,
                                         Locations& locations) {
  constexpr std::uint64_t kLeast = 20;
  Truth truth;
  truth.orders = false;
  Plan plan;
  Trace trace;
  for (const bool learns : {true, false}) {
    ToyProgram program(code);
    Dpor search(Dpor::Algorithm::optimal);
    truth.interleavings = 0;
    while (search.next(plan)) {
      if (++truth.interleavings > executions_max) return {};
      Wanted whole = search.wanted();
      whole.from = Wanted::From::start;
      program.run(plan, search.advisor(), whole, trace);
      if (learns) {
        for (const Event& event : trace.events) {
          if (is_visible(event.operation)) locations.learn(event);
        }
        for (const RecordedAccess& access : trace.accesses) locations.learn(access);
      } else {
        if (trace.end == End::bug) truth.bugs.insert(bug_of(trace.failure));
        if (ended_by_itself(trace))
          truth.classes.insert(class_by_sources(trace, locations, program.names(), false));
      }
      program.run(plan, search.advisor(), search.wanted(), trace);
      search.learn(plan, trace);
    }
    if (truth.interleavings < kLeast) return {};
  }
  return truth;
}

// Runs the search to its end. Empty: it shows what there is, each class once, and claims no more.
std::string compare_with(const Truth& truth, const Locations& locations, ToyProgram& program,
                         const ReadsFromSearch::Settings& settings, Sum& sum) {
  ReadsFromSearch search(settings);
  std::set<std::string> classes;
  std::set<std::string> once;
  std::set<ToyBug> bugs;
  std::string twice;
  std::uint64_t restarts = 0;
  std::uint64_t executions = 0;
  Plan plan;
  Trace trace;
  while (search.next(plan)) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    search.learn(plan, trace);
    if (++executions > 20 * truth.interleavings + 100) return "more executions than there are";
    if (search.counts().restarts != restarts) once.clear();
    restarts = search.counts().restarts;
    if (trace.end == End::bug) bugs.insert(bug_of(trace.failure));
    if (!ended_by_itself(trace)) continue;
    const std::string name = class_by_sources(trace, locations, program.names(), truth.orders);
    if (!truth.classes.contains(name)) return "a class that there is not: " + name;
    classes.insert(name);
    const std::string whole = class_by_sources(trace, locations, program.names());
    if (search.was_class() && !once.insert(whole).second) twice = whole;
  }
  ++sum.programs;
  sum.interleavings += truth.interleavings;
  sum.add(search.counts());
  for (const ToyBug& bug : bugs) {
    if (!truth.bugs.contains(bug)) return "a bug that there is not: " + name_of(bug);
  }
  const Guarantee guarantee = search.guarantee();
  if (guarantee.complete || guarantee.covers != Covers::assertions) return "claims too much";
  if (guarantee.exhausted != search.problem().empty()) return "claims something else";
  if (search.is_lost()) return "an execution left its class";
  if (!guarantee.exhausted) return "";
  ++sum.covered;
  for (const ToyBug& bug : truth.bugs) {
    if (bug.kind != BugKind::deadlock && !bugs.contains(bug)) return "missed: " + name_of(bug);
  }
  for (const std::string& name : truth.classes) {
    if (!classes.contains(name)) return "missed the class " + name;
  }
  return twice.empty() ? "" : "twice: " + twice;
}

std::string compare_reads_from(const ToyCode& code, const ReadsFromSearch::Settings& settings, Sum& sum) {
  Locations locations;
  const Truth truth = truth_of(code, locations);
  ToyProgram program(code);
  return compare_with(truth, locations, program, settings, sum);
}

std::string compare_by_default(const ToyCode& code, Sum& sum) { return compare_reads_from(code, {}, sum); }

class ReadsFromOf : public ::testing::TestWithParam<Family> {};

TEST_P(ReadsFromOf, ShowsEachClassOnce) {
  const std::uint64_t count = setting("THRUM_ORACLE_READS_FROM", by_default(200));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  Sum sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomProgram random = random_program(seed, GetParam(), kInterleavingsMax);
    if (random.findings.racy && GetParam() == Family::b) continue;  // promises nothing there
    const std::string wrong = compare_by_default(random.code, sum);
    if (wrong.empty()) continue;
    auto compare = [](const ToyCode& some) {
      Sum ignored;
      if (enumerate(some, {.executions_max = 3 * kInterleavingsMax}).gave_up) return std::string();
      return compare_by_default(some, ignored);
    };
    const ToyCode small = shrink(random.code, [&](const ToyCode& some) { return !compare(some).empty(); });
    ADD_FAILURE() << "# seed " << seed << ": " << wrong << "\n# shrunk: " << compare(small) << "\n"
                  << print(small);
    return;
  }
  std::cout << sum.programs << " programs, " << sum.covered << " covered, " << sum.interleavings
            << " interleavings, " << sum.counts.classes << " executions, " << sum.counts.held << " held, "
            << sum.counts.vain << " in vain, " << sum.counts.checks << " checks, " << sum.counts.restarts
            << " restarts\n";
}

TEST_P(ReadsFromOf, ForgetsAttempts) {
  for (std::uint64_t seed = 1; seed <= by_default(50); ++seed) {
    const RandomProgram random = random_program(seed, GetParam(), kInterleavingsMax);
    if (random.findings.racy && GetParam() == Family::b) continue;  // promises nothing there
    const ToyCode& code = random.code;
    Locations locations;
    const Truth truth = truth_of(code, locations);
    ToyProgram program(code);
    program.begin_again();
    Sum sum;
    ASSERT_EQ(compare_with(truth, locations, program, {}, sum), "") << "seed " << seed << "\n" << print(code);
  }
}

TEST_P(ReadsFromOf, AgreesWithDependenceOnLargerPrograms) {
  if (GetParam() == Family::b) return;  // has no classes to compare where it is racy
  const std::uint64_t count = setting("THRUM_ORACLE_READS_FROM", by_default(50));
  const std::uint64_t executions_max = setting("THRUM_ORACLE_EXECUTIONS", 1'000);
  Sum sum;
  std::uint64_t seed = setting("THRUM_ORACLE_SEED", 1);
  for (std::uint64_t compared = 0; compared < count; ++seed) {
    const ToyCode code = larger_program(seed, GetParam());
    Locations locations;
    const std::optional<Truth> truth = truth_by_dependence(code, executions_max, locations);
    if (!truth) continue;
    ++compared;
    ToyProgram program(code);
    ASSERT_EQ(compare_with(*truth, locations, program, {}, sum), "") << "seed " << seed << "\n"
                                                                     << print(code);
  }
  std::cout << sum.programs << " programs, " << sum.covered << " covered, " << sum.interleavings
            << " executions by dependence, " << sum.counts.classes << " by reads-from, " << sum.counts.held
            << " held, " << sum.counts.vain << " in vain, " << sum.counts.restarts << " restarts\n";
}

INSTANTIATE_TEST_SUITE_P(All, ReadsFromOf,
                         ::testing::Values(Family::a, Family::b, Family::c, Family::d, Family::e),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST(ReadsFromSearch, ShowsEachClassOfProgramsThatOnceFailed) {
  int programs = 0;
  for (const auto& [name, code] : programs_that_once_failed()) {
    const Findings findings = enumerate(code, {.executions_max = kInterleavingsMax});
    if (findings.gave_up || findings.racy) continue;
    Sum sum;
    EXPECT_EQ(compare_by_default(code, sum), "") << name;
    ++programs;
  }
  EXPECT_GT(programs, 0);
}

// Without either part of the search there is a random program of which a class is missed.
bool is_caught(const ReadsFromSearch::Settings& settings) {
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    const RandomProgram random = random_program(seed, Family::a, 300);
    Sum sum;
    if (!compare_reads_from(random.code, settings, sum).empty()) return true;
  }
  return false;
}

TEST(ReadsFromSearch, NeedsHeldThreads) { EXPECT_TRUE(is_caught({.holds = false})); }

TEST(ReadsFromSearch, NeedsThePastOfSources) { EXPECT_TRUE(is_caught({.tells_pasts_apart = false})); }

// A search that forgets what no decision names, before each execution, runs what it would have run.
TEST(ReadsFromSearch, ForgetsNothingThatItNeeds) {
  std::size_t most = 0;        // histories of a search
  std::size_t most_named = 0;  // of one that forgets
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const ToyCode code = random_program(seed, seed % 2 == 0 ? Family::a : Family::c, 300).code;
    ToyProgram program(code);
    ToyProgram same(code);
    ReadsFromSearch search({.histories_max = 1 << 20});
    ReadsFromSearch forgetful({.histories_max = 0});
    Plan plan;
    Trace trace;
    for (std::uint64_t execution = 1; execution <= 10'000; ++execution) {
      Plan other;
      const bool goes_on = search.next(plan);
      ASSERT_EQ(forgetful.next(other), goes_on) << "seed " << seed << "\n" << print(code);
      if (!goes_on) break;
      ASSERT_EQ(other.departures, plan.departures) << "seed " << seed << "\n" << print(code);
      program.run(plan, search.advisor(), search.wanted(), trace);
      search.learn(plan, trace);
      same.run(other, forgetful.advisor(), forgetful.wanted(), trace);
      forgetful.learn(other, trace);
    }
    EXPECT_EQ(forgetful.counts().classes, search.counts().classes);
    most = std::max(most, search.histories());
    most_named = std::max(most_named, forgetful.histories());
  }
  EXPECT_LT(4 * most_named, most) << "little was forgotten";
}

// The executions of a whole search, those with a held thread among them. bodies: of the threads that main
// creates, which does nothing else.
ReadsFromSearch::Counts counts_of(const std::vector<std::string>& bodies, const std::string& main_does = "") {
  std::string text = "thread t0\n";
  for (std::size_t i = 1; i <= bodies.size(); ++i) text += "create t" + std::to_string(i) + "\n";
  text += main_does;
  for (std::size_t i = 1; i <= bodies.size(); ++i)
    text += "thread t" + std::to_string(i) + "\n" + bodies[i - 1];
  ToyProgram program(parse(text).value());
  ReadsFromSearch search;
  Plan plan;
  Trace trace;
  while (search.next(plan)) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    search.learn(plan, trace);
  }
  EXPECT_EQ(search.problem(), "");
  EXPECT_TRUE(search.guarantee().exhausted);
  return search.counts();
}

void expect_classes(const ReadsFromSearch::Counts& counts, std::uint64_t classes) {
  EXPECT_EQ(counts.classes, classes);
  EXPECT_EQ(counts.held + counts.vain + counts.restarts, 0u);
}

constexpr std::size_t kMany = 7;

// N threads store x, one loads it (CDSChecker, OOPSLA 2013, section 5.4): N + 1. By dependence (N + 1)!.
TEST(ReadsFromSearch, CountsWritersAndAReader) {
  for (std::size_t n = 1; n <= kMany; ++n) {
    std::vector<std::string> bodies(n, "store x0 1\n");
    bodies.emplace_back("load x0 r0\n");
    expect_classes(counts_of(bodies), n + 1);
  }
}

// The same where main stores x as well, when all have been created: N + 2. What "floating read" is elsewhere
// was not found; that its count is 9 where N is 7 fits this.
TEST(ReadsFromSearch, CountsWritersAndAReaderBesideMain) {
  std::vector<std::string> bodies(kMany, "store x0 1\n");
  bodies.emplace_back("load x0 r0\n");
  expect_classes(counts_of(bodies, "store x0 2\n"), kMany + 2);
}

// "Control flow" (JACM 2017, figure 8): N threads load x; N store y; one stores z if y is 0; one stores x if
// z is 1 and y is 0. Classes: 2^N in which x is stored, 2 N in which one of the last two reads y from a
// store, and one in which z is not seen.
TEST(ReadsFromSearch, CountsControlFlow) {
  for (std::size_t n = 1; n <= kMany; ++n) {
    std::vector<std::string> bodies;
    for (std::size_t i = 0; i < n; ++i) {
      bodies.emplace_back("load x0 r0\n");
      bodies.emplace_back("store x1 1\n");
    }
    bodies.emplace_back("load x1 r0\nskip r0 1 1\nstore x2 1\n");
    bodies.emplace_back("load x2 r0\nskip r0 0 3\nload x1 r1\nskip r1 1 1\nstore x0 1\n");
    expect_classes(counts_of(bodies), (std::size_t{1} << n) + 2 * n + 1);
  }
}

// Nidhugg's tests/smoke/C-tests: n_writes_a_read_two_threads (2 N + 1) and redundant_co (3 N^2 + 3 N + 1).
TEST(ReadsFromSearch, CountsAsNidhuggDoes) {
  for (std::size_t n = 1; n <= 4; ++n) {
    std::string stores;
    for (std::size_t i = 0; i < n; ++i) stores += "store x0 1\n";
    expect_classes(counts_of({stores + "load x0 r0\n", stores + "load x0 r0\n"}), 2 * n + 1);
    expect_classes(counts_of({stores, stores, "load x0 r0\nload x0 r1\n"}), 3 * n * n + 3 * n + 1);
  }
}

// With locks the sources are the order: n! classes, and the threads are held besides.
TEST(ReadsFromSearch, CountsLocks) {
  std::uint64_t factorial = 1;
  for (std::size_t n = 1; n <= 4; ++n) {
    factorial *= n;
    EXPECT_EQ(counts_of(std::vector<std::string>(n, "lock m0\nunlock m0\n")).classes, factorial);
  }
}

// A check that is given up leaves a class out, and that is said.
TEST(ReadsFromSearch, SaysWhereAClassIsUndecided) {
  ToyProgram program(
      *parse("thread t0\ncreate t1\ncreate t2\ncreate t3\nstore x0 1\nload x1 r0\n"
             "thread t1\nstore x0 1\nstore x1 1\nthread t2\nstore x0 1\nstore x1 1\n"
             "thread t3\nstore x0 1\nload x0 r0\n"));
  ReadsFromSearch search({.cuts_max = 0});
  Plan plan;
  Trace trace;
  while (search.next(plan)) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    search.learn(plan, trace);
  }
  EXPECT_GT(search.counts().undecided, 0u);
  EXPECT_FALSE(search.guarantee().exhausted);
  EXPECT_NE(search.problem().find("undecided"), std::string::npos);
}

// A whole search by its row of the table finds, confirms and simplifies bugs, and only such as there are.
TEST(ReadsFromSearch, FindsBugsAsAStrategyOfTheTable) {
  std::uint64_t with_bugs = 0;
  const std::uint64_t programs = by_default(100);
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const RandomProgram random = random_program(seed, Family::d, 300);
    ToyProgram program(random.code);
    Session::Host host;
    SessionSettings settings;
    settings.make = [](bool) { return make_strategy("rf", {}); };
    settings.limits = no_limits();
    settings.limits.keep_going = false;
    const SearchResult result = Session(program, host, settings).run();
    EXPECT_FALSE(result.guarantee.complete);
    EXPECT_EQ(result.guarantee.covers, Covers::assertions);
    for (const FoundBug& bug : result.bugs) {
      EXPECT_EQ(bug.unconfirmed, "") << "seed " << seed;
      EXPECT_TRUE(random.findings.bugs.contains(bug_of(bug.failure))) << "seed " << seed;
      ++with_bugs;
    }
  }
  EXPECT_GT(with_bugs, programs / 5);
}

// As where an order was planned that the program cannot follow.
TEST(ReadsFromSearch, KnowsWhereAnExecutionLeavesItsClass) {
  const std::string text = "thread t0\ncreate t1\ncreate t2\nthread t1\nstore x0 1\nthread t2\n";
  ToyProgram program(*parse(text + "load x0 r0\n"));
  ToyProgram another(*parse(text + "load x1 r0\n"));
  ReadsFromSearch search;
  Plan plan;
  Trace trace;
  ASSERT_TRUE(search.next(plan));
  program.run(plan, search.advisor(), search.wanted(), trace);
  search.learn(plan, trace);
  EXPECT_FALSE(search.is_lost());
  ASSERT_TRUE(search.next(plan));
  another.run(plan, search.advisor(), search.wanted(), trace);
  search.learn(plan, trace);
  EXPECT_TRUE(search.is_lost());
  EXPECT_FALSE(search.guarantee().exhausted);
}

}  // namespace
}  // namespace thrum
