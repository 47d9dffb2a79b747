// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simplest schedules of random programs' bugs, against every execution there is.
#include "campaign/simplify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {
namespace {

using Price = std::pair<std::uint32_t, std::uint32_t>;  // preemptions, switches

const std::uint64_t kSimplifySeeds = by_default(400);
constexpr std::size_t kSimplifyExecutionsMax = 1500;

Limits limits(std::uint64_t executions) {
  Limits result = no_limits();
  result.keep_going = false;
  result.executions = executions;
  return result;
}

SimplifyBudget budget(std::uint64_t executions) {
  SimplifyBudget result;
  result.executions = executions;
  result.out_of_time = [] { return false; };
  result.announce = [](const Plan&) {};
  result.now = [] { return 0.0; };
  return result;
}

Price price_of(const Trace& trace) {
  std::uint32_t preemptions = 0;
  departures_from_base(trace, preemptions);
  return {preemptions, count_switches(trace)};
}

// The least price at which some execution shows the bug.
Price least_price(ToyProgram& program, const Failure& failure) {
  std::optional<Price> least;
  Systematic all({Base::nonpreemptive, std::nullopt, false});
  Plan plan;
  Trace trace;
  while (all.next(plan)) {
    program.run(plan, nullptr, Wanted::all_events(), trace);
    if (trace.end == End::bug && same_bug(trace.failure, failure))
      least = std::min(least.value_or(price_of(trace)), price_of(trace));
    Trace fringe;
    program.run(plan, nullptr, Wanted::new_choices(), fringe);
    all.learn(plan, fringe);
  }
  EXPECT_TRUE(least);
  return least.value_or(Price{});
}

// A bug that a strategy finds; nothing where it finds none.
std::optional<FoundBug> find_bug(ToyProgram& program, const char* name, std::uint64_t seed) {
  std::unique_ptr<Strategy> strategy = make_strategy(name, {Base::nonpreemptive, std::nullopt, seed});
  SearchResult result = explore(program, *strategy, limits(200));
  if (result.bugs.empty()) return std::nullopt;
  return std::move(result.bugs[0]);
}

void expect_shows(ToyProgram& program, const FoundBug& bug, Price price) {
  Plan plan = bug.plan;
  Trace trace;
  ASSERT_FALSE(find_divergence(program, plan, trace));
  EXPECT_EQ(trace.end, End::bug);
  EXPECT_TRUE(same_bug(trace.failure, bug.failure));
  EXPECT_EQ(price_of(trace), price);
  EXPECT_FALSE(first_difference(trace, bug.trace));
}

TEST(Simplify, FindsTheSimplestSchedules) {
  std::uint64_t bugs = 0;
  std::uint64_t simplified = 0;
  for (std::uint64_t seed = 1; seed <= kSimplifySeeds; ++seed) {
    RandomProgram random = random_program(seed, Family::a, kSimplifyExecutionsMax);
    if (random.findings.bugs.empty()) continue;
    ToyProgram program(random.code);
    for (const char* strategy : {"random", "dfs", "icb"}) {
      std::optional<FoundBug> bug = find_bug(program, strategy, seed);
      if (!bug) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + strategy);
      const Price before = price_of(bug->trace);
      const Price least = least_price(program, bug->failure);
      simplify(program, *bug, budget(1'000'000));
      EXPECT_TRUE(bug->minimal);
      EXPECT_TRUE(bug->switches_minimal);
      EXPECT_EQ(Price(bug->preemptions, bug->switches.value_or(0)), least);
      expect_shows(program, *bug, least);
      ++bugs;
      simplified += least < before ? 1 : 0;
    }
  }
  EXPECT_GT(bugs, kSimplifySeeds / 4);
  EXPECT_GT(simplified, kSimplifySeeds / 14) << "otherwise this shows little";
}

// With little to spend it may find less, but claims nothing that is not so.
TEST(Simplify, ClaimsOnlyWhatIsProved) {
  std::uint64_t proved = 0;
  std::uint64_t open = 0;
  for (std::uint64_t seed = 1; seed <= kSimplifySeeds; ++seed) {
    RandomProgram random = random_program(seed, Family::a, kSimplifyExecutionsMax);
    if (random.findings.bugs.empty()) continue;
    ToyProgram program(random.code);
    std::optional<FoundBug> bug = find_bug(program, "random", seed);
    if (!bug) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Price before = price_of(bug->trace);
    const Price least = least_price(program, bug->failure);
    simplify(program, *bug, budget(3 + seed % 30));
    const Price found(bug->preemptions, bug->switches.value_or(before.second));
    EXPECT_LE(found, before);
    EXPECT_GE(found, least);
    if (bug->minimal) {
      EXPECT_EQ(bug->preemptions, least.first);
    }
    if (bug->switches_minimal && bug->preemptions == least.first) {
      EXPECT_EQ(found.second, least.second);
    }
    expect_shows(program, *bug, found);
    ++(bug->switches_minimal ? proved : open);
  }
  EXPECT_GT(proved, kSimplifySeeds / 40);
  EXPECT_GT(open, kSimplifySeeds / 40);
}

}  // namespace
}  // namespace thrum
