// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partial-order reductions against the oracle.
//
//   THRUM_ORACLE_REDUCTION   random programs of each family (300; 100000 are the full run)
//   THRUM_ORACLE_EXECUTIONS  of the larger ones, at most (1000)
#include <gtest/gtest.h>

#include <functional>

#include "oracle/compare_reduction.hpp"
#include "oracle/once_failed.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"

namespace thrum {
namespace {

constexpr std::size_t kReductionExecutionsMax = 3'000;
constexpr std::uint64_t kWaysToShare = 3;
constexpr OracleSettings kReductionFindings{.count_classes = true, .count_local_states = true};

struct Case {
  const char* name;
  Reduction algorithm;
  Family family;
};

class Reductions : public ::testing::TestWithParam<Case> {};

TEST_P(Reductions, RunEachClassOnRandomPrograms) {
  std::uint64_t count = setting("THRUM_ORACLE_REDUCTION", by_default(300));
  std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  ReductionCount all;
  std::uint64_t interleavings = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ToyCode code = random_program(seed, GetParam().family, kReductionExecutionsMax).code;
    auto compare = [&](const ToyCode& some) {
      ReductionCount ignored;
      Findings findings = enumerate(some, kReductionFindings);
      if (findings.racy && GetParam().family == Family::b) return std::string();
      return compare_reduction(some, findings, GetParam().algorithm, ignored);
    };
    Findings findings = enumerate(code, kReductionFindings);
    if (findings.racy && GetParam().family == Family::b) continue;  // promises nothing there
    interleavings += findings.executions.size();
    std::string wrong = compare_reduction(code, findings, GetParam().algorithm, all);
    if (wrong.empty()) continue;
    ToyCode small = shrink(code, [&](const ToyCode& some) { return !compare(some).empty(); });
    ADD_FAILURE() << "# seed " << seed << ": " << wrong << "\n# shrunk: " << compare(small) << "\n"
                  << print(small);
    return;
  }
  std::cout << interleavings << " interleavings, " << all.classes << " classes, " << all.executions
            << " executions, " << all.redundant << " redundant, " << all.blocked << " blocked; of "
            << all.sure << " searches it was known that none is redundant\n";
  if (GetParam().algorithm != Reduction::optimal) {
    EXPECT_EQ(all.sure, 0u);
  } else if (GetParam().family == Family::a) {
    EXPECT_GT(all.sure, count / 4);
  }
}

TEST_P(Reductions, RunEachClassOnProgramsThatOnceFailed) {
  int programs = 0;
  for (const auto& [name, code] : programs_that_once_failed()) {
    ReductionCount count;
    Findings findings = enumerate(code, kReductionFindings);
    if (findings.racy) continue;
    EXPECT_EQ(compare_reduction(code, findings, GetParam().algorithm, count), "") << name;
    ++programs;
  }
  EXPECT_GT(programs, 0) << "all are racy";
}

// Compares on random programs what needs the local states, or nothing but the executions.
using Comparison = std::function<std::string(const ToyCode&, const Findings&)>;

void compare_on_random_programs(Family family, const Comparison& comparison) {
  std::uint64_t count = setting("THRUM_ORACLE_REDUCTION", by_default(300));
  std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  auto compare = [&](const ToyCode& code) {
    Findings findings = enumerate(code, kReductionFindings);
    if (findings.racy && family == Family::b) return std::string();  // promises nothing there
    return comparison(code, findings);
  };
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ToyCode code = random_program(seed, family, kReductionExecutionsMax).code;
    std::string wrong = compare(code);
    if (wrong.empty()) continue;
    ToyCode small = shrink(code, [&](const ToyCode& some) { return !compare(some).empty(); });
    ADD_FAILURE() << "# seed " << seed << ": " << wrong << "\n# shrunk: " << compare(small) << "\n"
                  << print(small);
    return;
  }
}

class OfFamily : public ::testing::TestWithParam<Family> {};

TEST_P(OfFamily, BoundedReductionReachesTheLocalStatesAndFailedAssertions) {
  BoundedCount all;
  compare_on_random_programs(GetParam(), [&](const ToyCode& code, const Findings& findings) {
    return compare_bounded(code, findings, all);
  });
  std::cout << all.executions << " executions instead of " << all.plain << "; " << all.deadlocks_missed
            << " of " << all.deadlocks << " deadlocks missed\n";
}

// The search runs as many executions as at once, and shows the same.
void compare_with_at_once(Family family, Searched how, std::initializer_list<Reduction> algorithms) {
  if (family == Family::b) return;  // has no classes to compare where it is racy
  for (Reduction algorithm : algorithms) {
    compare_on_random_programs(family, [&](const ToyCode& code, const Findings& findings) {
      ReductionCount at_once;
      ReductionCount otherwise;
      std::string wrong = compare_reduction(code, findings, algorithm, at_once);
      if (wrong.empty()) wrong = compare_reduction(code, findings, algorithm, otherwise, how);
      if (wrong.empty() && at_once.executions != otherwise.executions) wrong = "other executions";
      return wrong;
    });
  }
}

TEST_P(OfFamily, ReductionsCanBePutDownAndTakenUp) {
  compare_with_at_once(GetParam(), Searched::in_parts,
                       {Reduction::optimal, Reduction::bounded, Reduction::race_flip});
}

TEST_P(OfFamily, ReductionsForgetAttempts) {
  compare_with_at_once(GetParam(), Searched::attempted,
                       {Reduction::optimal, Reduction::source, Reduction::persistent, Reduction::race_flip});
}

TEST_P(OfFamily, ReductionsWithFewNodesRunTheSame) {
  compare_with_at_once(GetParam(), Searched::thrifty,
                       {Reduction::optimal, Reduction::source, Reduction::persistent, Reduction::race_flip});
}

TEST_P(OfFamily, ReductionsCanBeShared) {
  if (GetParam() == Family::b) return;  // likewise
  for (Reduction algorithm : {Reduction::optimal, Reduction::source, Reduction::persistent,
                              Reduction::bounded, Reduction::race_flip}) {
    ReductionCount alone;
    ReductionCount shared;
    compare_on_random_programs(GetParam(), [&](const ToyCode& code, const Findings& findings) {
      std::string wrong = compare_reduction(code, findings, algorithm, alone);
      for (std::uint64_t seed = 1; wrong.empty() && seed <= kWaysToShare; ++seed)
        wrong = compare_reduction(code, findings, algorithm, shared, Searched::shared, seed);
      return wrong;
    });
    std::cout << shared.parts << " parts, " << shared.executions << " executions, " << shared.redundant
              << " redundant and " << shared.blocked << " blocked; alone " << alone.executions << ", "
              << alone.redundant << " and " << alone.blocked << "\n";
    EXPECT_GT(shared.parts, shared.executions / 20);
  }
}

TEST_P(OfFamily, ReductionsOfLargerProgramsAgree) {
  if (GetParam() == Family::b) return;  // likewise
  const std::uint64_t count = setting("THRUM_ORACLE_REDUCTION", by_default(100));
  Sizes sizes;
  sizes.most = setting("THRUM_ORACLE_EXECUTIONS", sizes.most);
  ReductionCount alone;
  ReductionCount shared;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = setting("THRUM_ORACLE_SEED", 1); compared < count; ++seed) {
    const ToyCode code = larger_program(seed, GetParam());
    const std::optional<std::string> wrong = compare_with_each_other(code, sizes, alone, shared);
    if (!wrong) continue;
    ++compared;
    if (wrong->empty()) continue;
    auto compare = [&](const ToyCode& some) {
      ReductionCount ignored;
      Sizes of_any = sizes;
      of_any.least = 1;
      return compare_with_each_other(some, of_any, ignored, ignored).value_or("");
    };
    const ToyCode small = shrink(code, [&](const ToyCode& some) { return !compare(some).empty(); });
    ADD_FAILURE() << "# seed " << seed << ": " << *wrong << "\n# shrunk: " << compare(small) << "\n"
                  << print(small);
    return;
  }
  std::cout << alone.classes << " classes, " << alone.executions << " executions, " << alone.redundant
            << " redundant, " << alone.blocked << " blocked; shared " << shared.executions << ", "
            << shared.redundant << " and " << shared.blocked << ", in " << shared.parts << " parts\n";
  EXPECT_GT(shared.parts, shared.executions / 20);
}

// As where a search put down what the program cannot do.
TEST(Dpor, KnowsWhereAStepThatWasCertainCouldNotBeTaken) {
  const char* kText = "thread t0\ncreate t1\ncreate t2\nthread t1\nstore x0 1\nthread t2\n";
  ToyProgram program(*parse(std::string(kText) + "load x0 r0\n"));
  ToyProgram another(*parse(std::string(kText) + "down s1\nload x0 r0\n"));
  Dpor search(Dpor::Algorithm::optimal);
  Plan plan;
  Trace trace;
  ASSERT_TRUE(search.next(plan));
  program.run(plan, search.advisor(), search.wanted(), trace);
  search.learn(plan, trace);
  EXPECT_FALSE(search.is_lost());
  ASSERT_TRUE(search.next(plan));
  another.run(plan, search.advisor(), search.wanted(), trace);
  ASSERT_EQ(trace.end, End::stopped);
  search.learn(plan, trace);
  EXPECT_TRUE(search.is_lost());
}

TEST(Shared, RunsEachClassOfProgramsThatOnceFailed) {
  int programs = 0;
  for (const auto& [name, code] : programs_that_once_failed()) {
    Findings findings = enumerate(code, kReductionFindings);
    if (findings.racy) continue;
    ReductionCount count;
    for (std::uint64_t seed = 1; seed <= by_default(50); ++seed) {
      EXPECT_EQ(compare_reduction(code, findings, Reduction::optimal, count, Searched::shared, seed), "")
          << name << ", shared by seed " << seed;
    }
    ++programs;
  }
  EXPECT_GT(programs, 0) << "all are racy";
}

TEST(Bounded, ReachesTheLocalStatesOfProgramsThatOnceFailed) {
  BoundedCount all;
  int programs = 0;
  for (const auto& [name, code] : programs_that_once_failed()) {
    Findings findings = enumerate(code, kReductionFindings);
    if (findings.racy) continue;
    EXPECT_EQ(compare_bounded(code, findings, all), "") << name;
    ++programs;
  }
  EXPECT_GT(programs, 0) << "all are racy";
}

TEST_P(OfFamily, AutoReachesAll) { compare_on_random_programs(GetParam(), compare_auto); }

INSTANTIATE_TEST_SUITE_P(All, OfFamily, ::testing::Values(Family::a, Family::b, Family::c, Family::d),
                         [](const auto& one) { return std::string(name_of(one.param)); });

INSTANTIATE_TEST_SUITE_P(
    All, Reductions,
    ::testing::Values(
        Case{"OptimalA", Reduction::optimal, Family::a}, Case{"SourceA", Reduction::source, Family::a},
        Case{"PersistentA", Reduction::persistent, Family::a},
        Case{"BoundedA", Reduction::bounded, Family::a}, Case{"BoundedB", Reduction::bounded, Family::b},
        Case{"BoundedC", Reduction::bounded, Family::c}, Case{"OptimalB", Reduction::optimal, Family::b},
        Case{"OptimalC", Reduction::optimal, Family::c}, Case{"OptimalD", Reduction::optimal, Family::d},
        Case{"OptimalE", Reduction::optimal, Family::e}, Case{"SourceD", Reduction::source, Family::d},
        Case{"PersistentD", Reduction::persistent, Family::d},
        Case{"BoundedD", Reduction::bounded, Family::d}, Case{"RaceFlipA", Reduction::race_flip, Family::a},
        Case{"RaceFlipB", Reduction::race_flip, Family::b},
        Case{"RaceFlipC", Reduction::race_flip, Family::c},
        Case{"RaceFlipD", Reduction::race_flip, Family::d}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace thrum
