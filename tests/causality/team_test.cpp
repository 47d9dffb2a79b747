// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches of a team come to the same as one search alone, whoever goes on when and whoever dies.
//
//   THRUM_ORACLE_CAUSALITY  random programs of each family (60)
//   THRUM_ORACLE_SEED       seed of the first (1)
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "causality/compare_causality.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {
namespace {

constexpr std::size_t kTeamInterleavingsMax = 2'000;

std::string difference(const CausalityShown& alone, const CausalityShown& team) {
  if (!team.mistake.empty()) return team.mistake;
  if (alone.racy || team.racy) return alone.racy == team.racy ? "" : "a data race was shown once only";
  if (alone.problem.empty() != team.problem.empty())
    return "alone: " + alone.problem + "; the team: " + team.problem;
  if (!alone.problem.empty()) return "";
  if (alone.local_states != team.local_states) return "other local states";
  if (alone.local_paths_with_values != team.local_paths_with_values) return "other local paths with values";
  if (alone.bugs != team.bugs) return "other bugs";
  return alone.claims_races == team.claims_races ? "" : "races are claimed once only";
}

std::string compare(const ToyCode& code, const CausalitySearch::Settings& settings, std::uint64_t seed,
                    CausalityCount& alone, CausalityCount& together) {
  const CausalityShown one = run_causality(code, settings, alone);
  if (!one.mistake.empty()) return one.mistake;
  for (const TeamSettings& team : {TeamSettings{1, seed, 0}, TeamSettings{2, seed, 0},
                                   TeamSettings{4, seed, 0}, TeamSettings{3, seed, 20}}) {
    const std::string differs = difference(one, run_team(code, settings, team, together));
    if (!differs.empty())
      return std::to_string(team.members) + " members, " + std::to_string(team.deaths) + " die: " + differs;
  }
  return "";
}

void compare_families(std::initializer_list<Family> families, const CausalitySearch::Settings& settings) {
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  const std::uint64_t programs = setting("THRUM_ORACLE_CAUSALITY", by_default(60));
  for (const Family family : families) {
    CausalityCount alone;
    CausalityCount together;
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      const ToyCode code = random_program(seed, family, kTeamInterleavingsMax).code;
      const std::string differs = compare(code, settings, seed, alone, together);
      if (differs.empty()) continue;
      const ToyCode small = shrink(code, [&](const ToyCode& smaller) {
        return !compare(smaller, settings, seed, alone, together).empty();
      });
      FAIL() << name_of(family) << " " << seed << ": " << differs << '\n' << print(small);
    }
    std::cout << name_of(family) << ": alone " << alone.to_text() << "; teams " << together.to_text() << '\n';
  }
}

TEST(CausalityTeam, ShowsTheSameByStates) {
  compare_families({Family::a, Family::c, Family::d, Family::e},
                   {.deciding = Deciding::values, .races = false});
}

TEST(CausalityTeam, ShowsTheSameByTheSolver) {
  compare_families({Family::a, Family::c},
                   {.deciding = Deciding::values,
                    .make_solver = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); },
                    .races = false});
}

TEST(CausalityTeam, ShowsTheSameRaces) {
  compare_families({Family::b}, {.deciding = Deciding::values, .races = true});
}

// In threads, as in the supervisor.
TEST(CausalityTeam, WorksInSeveralThreads) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ToyCode code = random_program(seed, Family::a, kTeamInterleavingsMax).code;
    CausalitySearch::Settings settings{.deciding = Deciding::values, .races = false};
    CausalityCount count;
    const CausalityShown alone = run_causality(code, settings, count);
    settings.make_solver = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); };
    settings.may_be_helped = true;
    if (seed % 2 == 0) settings.states_max = 0;
    CausalitySearch leader(settings);
    std::vector<std::set<std::string>> states(3);
    const auto search = [&](CausalitySearch& own, std::size_t which, std::uint64_t executions_max) {
      ToyProgram program(code);
      program.record_local_states(&states[which]);
      Plan plan;
      Trace trace;
      for (std::uint64_t i = 0; i < executions_max && own.next(plan); ++i) {
        program.run(plan, nullptr, own.wanted(), trace);
        own.learn(plan, trace);
      }
    };
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    search(leader, 0, 1);
    const auto helper = leader.helper(nullptr);
    const auto short_lived = leader.helper(nullptr);
    std::thread thread([&] { search(*helper, 1, kAll); });
    std::thread other([&] { search(*short_lived, 2, 2); });
    search(leader, 0, kAll);
    thread.join();
    other.join();
    ASSERT_EQ(leader.guarantee().exhausted, alone.problem.empty()) << leader.problem();
    std::set<std::string> all;
    for (const std::set<std::string>& some : states) all.insert(some.begin(), some.end());
    EXPECT_EQ(all, alone.local_states) << seed;
    EXPECT_FALSE(helper->guarantee().exhausted);
  }
}

}  // namespace
}  // namespace thrum
