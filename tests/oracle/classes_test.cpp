// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics against the oracle: every search that runs all executions sees the classes that there are, as
// does the reduction that runs one of each; and estimates of how far a search is, against how far it is.
//
//   THRUM_ORACLE_REDUCTION  random programs (300)
#include <gtest/gtest.h>

#include <cmath>

#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/oracle.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"

namespace thrum {
namespace {

constexpr std::size_t kClassesExecutionsMax = 3'000;

SearchResult search(const ToyCode& code, const char* name, bool count_classes, std::size_t fringe_max = 0) {
  ToyProgram program(code);
  StrategySettings settings;
  if (fringe_max != 0) settings.fringe_max = fringe_max;
  std::unique_ptr<Strategy> strategy = make_strategy(name, settings);
  Limits all = no_limits();
  all.count_classes = count_classes;
  return explore(program, *strategy, all);
}

ToyCode threads(const std::vector<std::string>& texts) {
  std::string text = "thread t0\n";
  for (std::size_t i = 1; i <= texts.size(); ++i) text += "create t" + std::to_string(i) + "\n";
  for (std::size_t i = 1; i <= texts.size(); ++i)
    text += "thread t" + std::to_string(i) + "\n" + texts[i - 1];
  return parse(text).value();
}

std::string times(int n, const std::string& line) {
  std::string text;
  for (int i = 0; i < n; ++i) text += line + "\n";
  return text;
}

std::uint64_t sum_of_classes(const Statistics& statistics) {
  std::uint64_t sum = 0;
  for (const LevelCount& level : statistics.levels) sum += level.classes;
  return sum;
}

TEST(Classes, EverySearchSeesThoseThatThereAre) {
  std::uint64_t count = setting("THRUM_ORACLE_REDUCTION", by_default(300));
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;
  std::uint64_t known = 0;  // to the reduction as well
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    ToyCode code = random_program(seed, Family::a, kClassesExecutionsMax).code;
    Findings findings = enumerate(code, {.count_classes = true});
    for (const char* name : {"icb", "dfs"}) {
      SearchResult result = search(code, name, true);
      const Statistics& statistics = result.statistics;
      ASSERT_EQ(statistics.classes, findings.classes.size()) << name << "\n" << print(code);
      ASSERT_EQ(result.executions, findings.executions.size()) << "counting must not change the search";
      EXPECT_EQ(sum_of_classes(statistics), statistics.classes);
      EXPECT_EQ(statistics.growth.back().classes, statistics.classes);
      for (const auto& [cost, expected] : findings.by_preemptions)
        EXPECT_EQ(statistics.levels[static_cast<std::size_t>(cost)].executions, expected);
    }
    // Steps by chance are held against every other, which makes more of them.
    std::optional<std::uint64_t> reduced = search(code, "dpor", false).statistics.classes;
    EXPECT_EQ(reduced.value_or(findings.classes.size()), findings.classes.size()) << print(code);
    known += reduced ? 1 : 0;
    executions += findings.executions.size();
    classes += findings.classes.size();
  }
  EXPECT_GT(known, count / 2);
  EXPECT_LT(classes, executions) << "else nothing was told apart";
}

// Executions that run a second time for what departs from them do not count again.
TEST(Classes, ASmallFringeMakesNoDifference) {
  ToyCode code = threads({times(4, "store x0 1"), times(3, "store x0 2"), "store x1 1\n"});
  Statistics whole = search(code, "icb", true).statistics;
  Statistics small = search(code, "icb", true, 10).statistics;
  EXPECT_EQ(whole.classes, 35u) << "C(7, 3)";
  EXPECT_EQ(small.classes, whole.classes);
  ASSERT_EQ(small.levels.size(), whole.levels.size());
  for (std::size_t cost = 0; cost < whole.levels.size(); ++cost) {
    EXPECT_EQ(small.levels[cost].executions, whole.levels[cost].executions);
    EXPECT_EQ(small.levels[cost].classes, whole.levels[cost].classes);
  }
}

// One writer and n readers of one variable each: each reader comes before or behind its write.
TEST(Classes, OfReaders) {
  for (int n = 1; n <= 3; ++n) {
    std::vector<std::string> texts = {""};
    for (int i = 0; i < n; ++i) {
      texts[0] += "store x" + std::to_string(i) + " 1\n";
      texts.push_back("load x" + std::to_string(i) + " r0\n");
    }
    EXPECT_EQ(search(threads(texts), "dfs", true).statistics.classes, std::uint64_t{1} << n);
    EXPECT_EQ(search(threads(texts), "icb", true).statistics.classes, std::uint64_t{1} << n);
    EXPECT_EQ(search(threads(texts), "dpor", false).executions, std::uint64_t{1} << n);
  }
}

TEST(Classes, LevelsAreCompletedInTheirOrder) {
  ToyCode code = threads({times(3, "store x0 1"), times(3, "store x0 2")});
  ToyProgram program(code);
  std::unique_ptr<Strategy> strategy = make_strategy("icb", {});
  Limits all = no_limits();
  double time = 0;
  all.now = [&] { return time++; };
  Statistics statistics = explore(program, *strategy, all).statistics;
  double last = 0;
  for (const LevelCount& level : statistics.levels) {
    ASSERT_TRUE(level.completed);
    EXPECT_GT(*level.completed, last);
    last = *level.completed;
  }
}

// ---- Estimates ----------------------------------------------------------------------------------

struct Estimate {
  std::optional<std::uint32_t> level;
  double said = 0;
  double is = 0;  // by executions, of the level or of all
};

// What the search said after each execution.
std::vector<Estimate> estimates(const ToyCode& code, const char* name) {
  ToyProgram program(code);
  std::unique_ptr<Strategy> strategy = make_strategy(name, {});
  std::vector<Estimate> all;
  std::vector<std::uint64_t> of_level(1000);
  Plan plan;
  Trace trace;
  while (strategy->next(plan)) {
    program.run(plan, strategy->advisor(), strategy->wanted(), trace);
    strategy->learn(plan, trace);
    Progress progress = strategy->reporting().progress();
    std::size_t level = progress.level.value_or(0);
    EXPECT_EQ(progress.level.value_or(trace.cost), trace.cost);
    all.push_back({progress.level, progress.done.value(), static_cast<double>(++of_level[level])});
  }
  for (Estimate& one : all) one.is /= static_cast<double>(of_level[one.level.value_or(0)]);
  EXPECT_EQ(strategy->reporting().progress().done, 1);
  EXPECT_EQ(strategy->reporting().progress().waiting, 0u);
  return all;
}

void expect_orderly(const std::vector<Estimate>& all, const std::string& what) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool begins = i == 0 || all[i].level != all[i - 1].level;
    ASSERT_GE(all[i].said, begins ? 0 : all[i - 1].said) << what << ", execution " << i;
    ASSERT_LE(all[i].said, 1) << what;
    bool ends = i + 1 == all.size() || all[i].level != all[i + 1].level;
    ASSERT_EQ(all[i].said == 1, ends) << what << ", execution " << i << ": " << all[i].said;
  }
}

TEST(Estimates, NeverGoBackAndEndAtOne) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ToyCode code = random_program(seed, Family::a, kClassesExecutionsMax).code;
    for (const char* name : {"icb", "dfs", "dpor", "dpor-source"})
      expect_orderly(estimates(code, name), name + std::string("\n") + print(code));
  }
}

// The greatest factor between what is said and what is so, once a tenth is done.
double factor(const std::vector<Estimate>& all) {
  double worst = 1;
  for (const Estimate& one : all) {
    if (one.is >= 0.1) worst = std::max({worst, one.said / one.is, one.is / one.said});
  }
  return worst;
}

TEST(Estimates, AreNearTheTruth) {
  ToyCode even = threads({times(3, "store x0 1"), times(3, "store x0 2"), times(2, "store x0 3")});
  ToyCode uneven = threads({times(9, "store x0 1"), times(3, "store x0 2")});
  ToyCode locks = threads({times(3, "lock m0\nunlock m0"), times(3, "lock m0\nunlock m0")});
  for (const ToyCode* code : {&even, &uneven, &locks}) {
    EXPECT_LT(factor(estimates(*code, "icb")), 2) << "icb\n" << print(*code);
    EXPECT_LT(factor(estimates(*code, "dfs")), 6) << "dfs\n" << print(*code);
    EXPECT_LT(factor(estimates(*code, "dpor")), 10) << "dpor\n" << print(*code);
  }
}

TEST(Estimates, ARandomSearchMakesNone) {
  std::unique_ptr<Strategy> strategy = make_strategy("random", {});
  EXPECT_FALSE(strategy->reporting().progress().done);
  EXPECT_FALSE(strategy->reporting().progress().level);
}

// Each part of a search that was shared out knows how far it is itself, and which part of all that is.
TEST(Estimates, OfPartsOfASearch) {
  ToyCode code = threads({times(4, "store x0 1"), times(4, "store x0 2")});
  for (const char* name : {"icb", "dfs", "dpor"}) {
    ToyProgram program(code);
    std::unique_ptr<Strategy> strategy = make_strategy(name, {});
    Plan plan;
    Trace trace;
    auto run = [&](Strategy& one) {
      if (!one.next(plan)) return false;
      program.run(plan, one.advisor(), one.wanted(), trace);
      one.learn(plan, trace);
      return true;
    };
    for (int i = 0; i < 5; ++i) run(*strategy);
    std::unique_ptr<Strategy> other;
    while (!(other = strategy->divisible()->split())) ASSERT_TRUE(run(*strategy)) << name;
    for (Strategy* one : {other.get(), strategy.get()}) {
      double last = 0;
      std::optional<std::uint32_t> level;
      for (int i = 0; i < 5 && run(*one); ++i) {
        Progress progress = one->reporting().progress();
        EXPECT_TRUE(progress.level != level || *progress.done >= last) << name;
        last = *progress.done;
        level = progress.level;
        EXPECT_LE(last, progress.share);
      }
    }
    EXPECT_NEAR(strategy->reporting().progress().share + other->reporting().progress().share, 1, 1e-9)
        << name;
    if (name == std::string("dpor")) {
      while (run(*other)) {
      }
    }
    strategy->divisible()->merge(*other);
    EXPECT_NEAR(strategy->reporting().progress().share, 1, 1e-9) << name;
    while (run(*strategy)) EXPECT_LE(*strategy->reporting().progress().done, 1 + 1e-9);
    EXPECT_NEAR(*strategy->reporting().progress().done, 1, 1e-9) << name;
  }
}

}  // namespace
}  // namespace thrum
