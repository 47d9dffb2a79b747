// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches by constraint solving on random programs, held against brute force.
//
//   THRUM_ORACLE_CAUSALITY  random programs of each family (200)
//   THRUM_ORACLE_SEED       seed of the first (1); the next has the next seed
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>

#include "causality/clause_programs.hpp"
#include "causality/compare_causality.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {
namespace {

constexpr std::size_t kCausalityInterleavingsMax = 2'000;
constexpr std::size_t kCausalityStatesMax = 30'000;

std::uint64_t programs() { return setting("THRUM_ORACLE_CAUSALITY", by_default(200)); }
std::uint64_t first_seed() { return setting("THRUM_ORACLE_SEED", 1); }

// Programs with data races are none that a search by values is about: nobody chooses when plain data is read.
void compare_families(std::initializer_list<Family> families,
                      const std::function<std::string(const ToyCode&, CausalityCount&)>& compare) {
  for (const Family family : families) {
    CausalityCount count;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + programs(); ++seed) {
      const ToyCode code = random_program(seed, family, kCausalityInterleavingsMax).code;
      const std::string differs = compare(code, count);
      if (differs.empty()) continue;
      const ToyCode small = shrink(code, [&](const ToyCode& smaller) {
        CausalityCount again;
        return !compare(smaller, again).empty();
      });
      CausalityCount again;
      FAIL() << name_of(family) << " " << seed << ": " << differs << "\nsmaller: " << compare(small, again)
             << '\n'
             << print(small);
    }
    std::cout << name_of(family) << ": " << count.to_text() << '\n';
    if (count.programs < 20) continue;  // of few programs one may decide
    const std::uint64_t least = family == Family::b ? 0 : count.programs * 9 / 10;  // most of B have races
    EXPECT_GT(count.covered, least);
  }
}

TEST(Causality, ShowsAllThatThreadsReadInRandomPrograms) {
  compare_families({Family::a, Family::c, Family::d, Family::e},
                   [](const ToyCode& code, CausalityCount& count) -> std::string {
                     const Findings findings = enumerate(
                         code, {.count_local_states = true, .executions_max = kCausalityInterleavingsMax});
                     if (findings.racy || findings.gave_up) return "";
                     return compare_values(code, findings, count);
                   });
}

TEST(Causality, FindsDataRacesOfRandomPrograms) {
  compare_families({Family::b}, [](const ToyCode& code, CausalityCount& count) -> std::string {
    const Findings findings =
        enumerate(code, {.only_races = true, .executions_max = kCausalityInterleavingsMax});
    return findings.gave_up ? "" : compare_races(code, findings.racy, count);
  });
}

TEST(Causality, ShowsAllPathsOfRandomPrograms) {
  compare_families({Family::f, Family::a, Family::c, Family::d, Family::e},
                   [](const ToyCode& code, CausalityCount& count) -> std::string {
                     const Paths paths =
                         find_paths(code, {.judge_races = true, .states_max = kCausalityStatesMax});
                     if (paths.racy || paths.gave_up) return "";
                     return compare_paths(code, paths, count);
                   });
}

// The compare-exchange of t0 writes what it has read, and nothing orders that with the plain read of t2.
TEST(Causality, FindsARaceWithACompareExchangeThatLeavesTheValue) {
  const std::optional<ToyCode> code = parse(R"(thread t0
  create t1
  create t2
  cas x1 r0 0 0
thread t1
  store x1 1
thread t2
  load x1 r0
  skip r0 0 1
  peek x1 r0
)");
  ASSERT_TRUE(code);
  ASSERT_TRUE(enumerate(*code, {.only_races = true}).racy);
  CausalityCount count;
  EXPECT_EQ(compare_races(*code, true, count), "");
}

// What t0 writes plainly comes in the step in which it fails.
TEST(Causality, FindsARaceBeforeAFailure) {
  const std::optional<ToyCode> code = parse(R"(thread t0
  create t1
  add x0 r0 1
  join t1
  poke x0 0
  unequal r0 0
thread t1
  create t2
  load x0 r0
  skip r0 0 1
  join t2
thread t2
  load x0 r0
)");
  ASSERT_TRUE(code);
  ASSERT_TRUE(enumerate(*code, {.only_races = true}).racy);
  CausalityCount count;
  EXPECT_EQ(compare_races(*code, true, count), "");
}

TEST(Causality, FindsNothingThatAClauseForbids) {
  for (const ClauseProgram& program : clause_programs()) {
    CausalityCount count;
    EXPECT_EQ(compare_clause_program(program, count), "") << program.name;
  }
}

// Both writes of t1 come in one step. A clause about them that is true anyway must not be looked for again.
TEST(Causality, KnowsTheOrderOfTwoWritesOfOneStep) {
  const std::optional<ToyCode> code = parse(R"(thread t0
  create t1
  lock m0
  peek x0 r0
  unlock m0
thread t1
  lock m0
  poke x0 1
  poke x0 2
  unlock m0
)");
  ASSERT_TRUE(code);
  CausalityCount count;
  const CausalityShown shown =
      run_causality(*code,
                    {.make_solver = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); },
                     .clauses_at_once = 0},
                    count);
  EXPECT_EQ(shown.problem, "");
  EXPECT_EQ(shown.local_paths_with_values, find_paths(*code, {.form = PathForm::with_values}).local_paths);
}

// A program in a file, with all that the search does.
TEST(Causality, ShowsAFile) {
  const char* file = std::getenv("THRUM_ORACLE_FILE");
  if (file == nullptr) GTEST_SKIP();
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::optional<ToyCode> code = parse(text);
  ASSERT_TRUE(code);
  CausalityCount count;
  EXPECT_EQ(compare_paths(*code, find_paths(*code), count), "");
  std::cout << count.to_text() << std::endl;
}

}  // namespace
}  // namespace thrum
