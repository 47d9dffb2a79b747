// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search by reads-from against all interleavings.
//
//   THRUM_ORACLE_READS_FROM  random programs of each family (200; 100000 are the full run)
#include "search/reduction/reads_from_search.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "oracle/compare.hpp"
#include "oracle/once_failed.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {
namespace {

constexpr std::size_t kInterleavingsMax = 1'500;

bool ended_by_itself(const Trace& trace) {
  return trace.end == End::finished || (trace.end == End::bug && trace.failure.kind == BugKind::deadlock);
}

// The class of an execution: of each step what it did and read from, written down here once more.
std::string class_by_sources(const Trace& trace, const Locations& locations) {
  std::map<std::uint32_t, std::string> last;
  std::set<std::string> steps;
  for (const Event& event : trace.events) {
    if (!is_visible(event.operation)) continue;
    const std::string name = std::to_string(event.thread) + "." + std::to_string(event.index);
    std::string text = name + " " + std::to_string(static_cast<int>(event.operation));
    if (event.operation == Operation::choose) text += "=" + std::to_string(event.value);
    if (event.operation == Operation::signal) text += ">" + std::to_string(event.argument);
    const std::uint32_t location = locations.find(event);
    if (location != Locations::kNone) {
      if (locations.reads(event, location)) text += " from " + last[location];
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
        continue;
      }
      if (trace.end == End::bug) truth.bugs.insert(bug_of(trace.failure));
      if (ended_by_itself(trace)) truth.classes.insert(class_by_sources(trace, locations));
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

// Runs the search to its end. Empty: it shows what there is, each class once, and claims no more.
std::string compare_reads_from(const ToyCode& code, const ReadsFromSearch::Settings& settings, Sum& sum) {
  Locations locations;
  const Truth truth = truth_of(code, locations);
  ToyProgram program(code);
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
    const std::string name = class_by_sources(trace, locations);
    if (!truth.classes.contains(name)) return "a class that there is not: " + name;
    classes.insert(name);
    if (search.was_class() && !once.insert(name).second) twice = name;
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

INSTANTIATE_TEST_SUITE_P(All, ReadsFromOf, ::testing::Values(Family::a, Family::b, Family::c, Family::d),
                         [](const auto& one) { return std::string(name_of(one.param)); });

}  // namespace
}  // namespace thrum
