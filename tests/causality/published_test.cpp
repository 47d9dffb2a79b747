// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maximal path causality as it was published, on the programs of its paper and on random ones.
//
//   THRUM_ORACLE_CAUSALITY  random programs of each family (60)
//   THRUM_ORACLE_SEED       seed of the first (1); the next has the next seed
#include <gtest/gtest.h>

#include <array>
#include <iostream>

#include "causality/published_programs.hpp"
#include "causality/run_published.hpp"
#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"

namespace thrum {
namespace {

using Retrying = MpcByTraces::Retrying;

std::size_t paths_of(const ToyCode& code) { return find_paths(code).paths.size(); }

struct Expected {
  std::size_t paths = 0;
  std::size_t s1 = 0;
  std::size_t s2 = 0;
};

void expect_paths(const std::string& name, const ToyCode& code, const Expected& expected) {
  EXPECT_EQ(paths_of(code), expected.paths) << name;
  const PublishedShown s1 = run_by_traces(code, Retrying::none);
  const PublishedShown s2 = run_by_traces(code, Retrying::core);
  const PublishedShown subsets = run_by_traces(code, Retrying::subsets);
  for (const PublishedShown* shown : {&s1, &s2, &subsets}) EXPECT_EQ(shown->mistake, "") << name;
  EXPECT_EQ(s1.paths.size(), expected.s1) << name;
  EXPECT_EQ(s2.paths.size(), expected.s2) << name;
  EXPECT_EQ(subsets.paths.size(), expected.paths) << name;
  CausalityCount count;
  const CausalityShown closure = run_causality(code, {.deciding = Deciding::terms}, count);
  std::cout << name << ": " << expected.paths << " paths, " << closure.executions
            << " executions by closure; S1: " << s1.paths.size() << " paths, " << s1.executions
            << " executions; S2: " << s2.paths.size() << ", " << s2.executions
            << "; with subsets: " << subsets.paths.size() << ", " << subsets.executions << '\n';
}

TEST(PublishedMpc, ShowsThePathsOfThePaper) {
  expect_paths("figure 2", figure_2(AtTheEnd::branches), {10, 6, 10});
  expect_paths("m0", published_m(0), {13, 8, 13});
  expect_paths("m1", published_m(1), {21, 16, 21});
  expect_paths("figure 5 (a)", figure_5a(), {4, 3, 4});
}

TEST(PublishedMpc, FindsTheBugOfThePaperByS2Only) {
  const ToyCode code = figure_2(AtTheEnd::fails);
  ASSERT_EQ(find_paths(code).bugs.size(), 1u);
  EXPECT_TRUE(run_by_traces(code, Retrying::none).bugs.empty());
  EXPECT_EQ(run_by_traces(code, Retrying::core).bugs.size(), 1u);
}

// The prefix cannot be executed for the writes that are known then, and nobody asks again.
TEST(PublishedMpc, MissesAPathWhereTheCoreNamesAllThreads) {
  const ToyCode code = path_that_s2_misses();
  expect_paths("path that S2 misses", code, {4, 3, 3});
  CausalityCount count;
  const CausalityShown shown = run_causality(code, {.deciding = Deciding::terms, .all_paths = true}, count);
  EXPECT_EQ(shown.paths.size(), 4u);
}

// ---- Random programs.

struct Missed {
  std::uint64_t programs = 0;
  std::uint64_t paths = 0;
  std::uint64_t programs_with_missing = 0;
  std::uint64_t missing = 0;
  std::uint64_t missing_deadlocks = 0;  // among them: paths in which some thread waits for ever
  std::uint64_t executions = 0;
  std::uint64_t stopped = 0;

  void add(const Paths& all, const PublishedShown& shown) {
    const std::uint64_t own = count_missing(all.paths, shown.paths);
    ++programs;
    paths += all.paths.size();
    programs_with_missing += own == 0 ? 0 : 1;
    missing += own;
    for (const std::string& path : all.paths) {
      const bool is_deadlock = path.find(" at ") != std::string::npos;
      missing_deadlocks += is_deadlock && !shown.paths.contains(path) ? 1 : 0;
    }
    executions += shown.executions;
    stopped += shown.stopped;
  }

  void print(const std::string& name) const {
    std::cout << name << ": " << programs << " programs, " << paths << " paths, of which " << missing
              << " were missed in " << programs_with_missing << " programs (" << missing_deadlocks
              << " of them deadlocks); " << executions << " executions, " << stopped << " not as planned\n";
  }
};

std::string too_many(const Paths& all, const PublishedShown& shown) {
  if (!shown.mistake.empty()) return shown.mistake;
  if (shown.is_cut) return "it has no end";
  if (const std::string path = first_missing(shown.paths, all.paths); !path.empty())
    return "there is no such path: " + path;
  if (const std::string path = first_missing(shown.local_paths, all.local_paths); !path.empty())
    return "there is no such local path: " + path;
  for (const ToyBug& bug : shown.bugs) {
    if (!all.bugs.contains(bug)) return "there is no such bug: " + name_of(bug);
  }
  return "";
}

TEST(PublishedMpc, ShowsNothingThatIsNotThereInRandomPrograms) {
  constexpr std::size_t kInterleavingsMax = 2'000;
  constexpr std::size_t kStatesMax = 30'000;
  const std::uint64_t programs = setting("THRUM_ORACLE_CAUSALITY", by_default(60));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  for (const Family family : {Family::f, Family::a, Family::c, Family::e}) {
    std::array<Missed, 3> missed;
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      const ToyCode code = random_program(seed, family, kInterleavingsMax).code;
      const Paths paths = find_paths(code, {.judge_races = true, .states_max = kStatesMax});
      if (paths.racy || paths.gave_up) continue;
      for (std::size_t i = 0; i < missed.size(); ++i) {
        const PublishedShown shown = run_by_traces(code, static_cast<Retrying>(i));
        ASSERT_EQ(too_many(paths, shown), "") << name_of(family) << ' ' << seed << '\n' << print(code);
        if (shown.not_covered.empty()) missed[i].add(paths, shown);
      }
    }
    missed[0].print(std::string(name_of(family)) + ", S1");
    missed[1].print(std::string(name_of(family)) + ", S2");
    missed[2].print(std::string(name_of(family)) + ", S2 with subsets");
    EXPECT_GT(missed[0].programs, 0u);
  }
}

}  // namespace
}  // namespace thrum
