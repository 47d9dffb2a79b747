// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds on interferences: the forest of scenarios beside the closure within a bound, on random programs, and
// on the micro benchmark of Yi and Huang (ESEC/FSE 2018, table 4).
//
//   THRUM_ORACLE_CAUSALITY  random programs of each family (40)
//   THRUM_ORACLE_SEED       seed of the first (1); the next has the next seed
//   THRUM_CAUSALITY_MICRO   the micro benchmark with up to so many increments, and the seconds that it takes
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include "causality/bounded_interferences.hpp"
#include "causality/interference_forest.hpp"
#include "causality/published_programs.hpp"
#include "causality/run_published.hpp"
#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {
namespace {

MakeSolver z3() {
  return [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); };
}

// The first branches of threads, as far as executions went.
using KnownWays = std::set<std::pair<ThreadId, std::vector<std::uint64_t>>>;

// What was known when all of a bound was searched, by bounds.
struct Levels {
  PublishedShown shown;
  std::vector<KnownWays> ways;
  std::string not_covered;
};

std::uint32_t level_of(const BoundedInterferences& search) { return search.bound(); }
std::uint32_t level_of(const InterferenceForest& search) { return search.degree(); }

// How many branches the thread has up to there.
std::size_t branches_up_to(const ThreadTrees& trees, ThreadTrees::Node node) {
  using Kind = ThreadTrees::Kind;
  std::size_t branches = trees[node].kind == Kind::decision ? 1 : 0;
  for (; trees[node].kind != Kind::start; node = trees[node].parent) {
    const auto ways_to_go = [&] {
      std::size_t ways = 0;
      for (ThreadTrees::Node way = trees[trees[node].parent].first_child; way != ThreadTrees::kNone;
           way = trees[way].next_sibling)
        ways += trees[way].kind == Kind::event ? 1 : 0;
      return ways;
    };
    const bool is_branch = trees[node].kind == Kind::event && ways_to_go() > 1;
    branches += trees[node].kind == Kind::outcome || is_branch ? 1 : 0;
  }
  return branches;
}

// All that the execution has shown: a bound may exclude it, but only to the good of the closure.
KnownWays ways_of(const BoundedInterferences&, ThreadTrees::Node, const TracePath& path) {
  KnownWays ways;
  for (ThreadId thread = 0; thread < path.threads(); ++thread) {
    std::vector<std::uint64_t> values;
    for (const TracePath::Branch& branch : path.branches(thread)) {
      values.push_back(branch.value);
      ways.emplace(thread, values);
    }
  }
  return ways;
}

// What the scenario promised.
KnownWays ways_of(const InterferenceForest& search, ThreadTrees::Node target, const TracePath& path) {
  if (target == ThreadTrees::kNone) return {};
  const ThreadId thread = search.trees()[target].thread;
  std::vector<std::uint64_t> values;
  for (const TracePath::Branch& branch : path.branches(thread)) values.push_back(branch.value);
  const std::size_t promised = branches_up_to(search.trees(), target);
  EXPECT_LE(promised, values.size());
  values.resize(std::min(promised, values.size()));
  if (values.empty()) return {};
  return {{thread, values}};
}

ThreadTrees::Node target_of(const BoundedInterferences&) { return ThreadTrees::kNone; }
ThreadTrees::Node target_of(const InterferenceForest& search) { return search.target(); }

// The search, and what was known at the end of each level.
template <typename Search>
class WithLevels final : public Strategy {
 public:
  WithLevels(Search& search, const Terms& terms, std::vector<KnownWays>& levels)
      : search_(search), terms_(terms), levels_(levels) {}

  bool next(Plan& plan) override {
    const bool is_more = search_.next(plan);
    while (levels_.size() < level_of(search_) + (is_more ? std::size_t{0} : 1)) levels_.push_back(known_);
    return is_more;
  }
  Wanted wanted() const override { return search_.wanted(); }
  void learn(const Plan& plan, const Trace& trace) override {
    const ThreadTrees::Node target = target_of(search_);
    InitialState initial;
    const TracePath path(Deciding::terms, initial, terms_, trace);
    known_.merge(ways_of(search_, target, path));
    search_.learn(plan, trace);
  }

 private:
  Search& search_;
  const Terms& terms_;
  std::vector<KnownWays>& levels_;
  KnownWays known_;
};

constexpr std::uint64_t kExecutionsMax = 1'000;

Levels run_bounded(const ToyCode& code) {
  Levels levels;
  ToyProgram program(code);
  BoundedInterferences search({.make_solver = z3(), .terms = &program.terms()});
  WithLevels<BoundedInterferences> with_levels(search, program.terms(), levels.ways);
  levels.shown = run_published(program, with_levels, PathForm::outcomes, kExecutionsMax);
  levels.not_covered = search.problem();
  if (levels.not_covered.empty() != search.guarantee().exhausted) levels.shown.mistake = "a wrong claim";
  return levels;
}

Levels run_forest(const ToyCode& code, std::uint64_t executions_max = kExecutionsMax) {
  Levels levels;
  ToyProgram program(code);
  InterferenceForest search({.make_solver = z3(), .terms = &program.terms()});
  WithLevels<InterferenceForest> with_levels(search, program.terms(), levels.ways);
  levels.shown = run_published(program, with_levels, PathForm::outcomes, executions_max);
  levels.not_covered = search.not_covered();
  if (search.guarantee().exhausted || search.guarantee().complete) levels.shown.mistake = "a claim";
  return levels;
}

struct Figures {
  std::uint64_t programs = 0;
  std::uint64_t cut = 0;  // forests that were given up
  std::uint64_t forest = 0;
  std::uint64_t bounded = 0;
  std::uint64_t closure = 0;
  std::uint64_t with_interferences = 0;  // levels above 0 in which something was compared
  std::uint64_t ways = 0;                // that forests promised, in each level those of the lower ones, too
};

void compare_con2colic(const ToyCode& code, const Paths& paths, Figures& figures) {
  const Levels bounded = run_bounded(code);
  ASSERT_EQ(bounded.shown.mistake, "");
  if (!bounded.not_covered.empty()) return;
  EXPECT_EQ(first_missing(bounded.shown.local_paths, paths.local_paths), "");
  EXPECT_EQ(first_missing(paths.local_paths, bounded.shown.local_paths), "");
  const Levels forest = run_forest(code);
  ASSERT_EQ(forest.shown.mistake, "");
  if (!forest.not_covered.empty()) return;
  EXPECT_EQ(first_missing(forest.shown.local_paths, paths.local_paths), "");
  CausalityCount count;
  const CausalityShown closure = run_causality(code, {.deciding = Deciding::terms}, count);
  ++figures.programs;
  figures.cut += forest.shown.is_cut ? 1 : 0;
  figures.forest += forest.shown.executions;
  figures.bounded += bounded.shown.executions;
  figures.closure += closure.executions;
  if (!forest.shown.is_cut) {
    EXPECT_EQ(first_missing(paths.local_paths, forest.shown.local_paths), "");
  }
  // What the forest promises with so many interferences, the closure has shown when it is done with that
  // bound.
  for (std::size_t level = 0; level < forest.ways.size(); ++level) {
    const KnownWays& all = bounded.ways[std::min(level, bounded.ways.size() - 1)];
    figures.ways += forest.ways[level].size();
    figures.with_interferences += level > 0 && !forest.ways[level].empty() ? 1 : 0;
    EXPECT_TRUE(std::ranges::includes(all, forest.ways[level])) << "with so many interferences: " << level;
  }
}

TEST(Con2colic, ShowsAllLocalPathsOfRandomPrograms) {
  constexpr std::size_t kInterleavingsMax = 2'000;
  constexpr std::size_t kStatesMax = 30'000;
  const std::uint64_t programs = setting("THRUM_ORACLE_CAUSALITY", by_default(40));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  for (const Family family : {Family::f, Family::a, Family::c, Family::d, Family::e}) {
    Figures figures;
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      const ToyCode code = random_program(seed, family, kInterleavingsMax).code;
      const Paths paths = find_paths(code, {.judge_races = true, .states_max = kStatesMax});
      if (paths.racy || paths.gave_up) continue;
      compare_con2colic(code, paths, figures);
      ASSERT_FALSE(HasFailure()) << name_of(family) << ' ' << seed << '\n' << print(code);
    }
    std::cout << name_of(family) << ": " << figures.programs << " programs, executions by the forest "
              << figures.forest << " (" << figures.cut << " cut), by the closure within bounds "
              << figures.bounded << ", by the closure " << figures.closure << "; " << figures.ways
              << " ways of threads in forests\n";
    EXPECT_GT(figures.programs, programs * 8 / 10);
    if (programs < 20) continue;  // of few programs one may decide
    EXPECT_GT(figures.with_interferences, programs / 10);
  }
}

// ---- The micro benchmark.

struct Cost {
  std::uint64_t executions = 0;
  std::uint64_t queries = 0;
  double seconds = 0;
  bool finds_the_bug = false;
  bool is_over = false;

  void print(const std::string& name) const {
    std::cout << "  " << name << ": " << executions << " executions, " << queries << " queries, " << seconds
              << " s" << (is_over ? "" : ", cut") << (finds_the_bug ? ", bug" : ", no bug") << std::endl;
  }
};

template <typename Search, typename Queries>
Cost cost_of(ToyProgram& program, Search& search, const Queries& queries) {
  constexpr double kSecondsMax = 60;
  Cost cost;
  Plan plan;
  Trace trace;
  const auto begin = std::chrono::steady_clock::now();
  while (cost.seconds < kSecondsMax) {
    cost.is_over = !search.next(plan);
    if (!cost.is_over) {
      program.run(plan, nullptr, search.wanted(), trace);
      ++cost.executions;
      cost.finds_the_bug = cost.finds_the_bug || trace.end == End::bug;
      search.learn(plan, trace);
    }
    cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (cost.is_over) break;
  }
  cost.queries = queries();
  return cost;
}

TEST(Con2colic, RunsTheMicroBenchmark) {
  const std::uint64_t largest = setting("THRUM_CAUSALITY_MICRO", 0);
  if (largest == 0) GTEST_SKIP() << "THRUM_CAUSALITY_MICRO is not set";
  for (std::uint64_t n = 1; n <= largest; ++n) {
    const ToyCode code = micro_benchmark(static_cast<int>(n));
    std::cout << n << " increments\n";
    ToyProgram program(code);
    CausalitySearch closure({.deciding = Deciding::terms,
                             .make_solver = z3(),
                             .terms = &program.terms(),
                             .limit = {.seconds = 60}});
    const Cost cost = cost_of(program, closure, [&] { return closure.counts().queries; });
    cost.print("closure");
    EXPECT_TRUE(!closure.guarantee().exhausted || cost.finds_the_bug);
    if (!closure.problem().empty()) std::cout << "  (" << closure.problem() << ")\n";
    BoundedInterferences bounded({.make_solver = z3(), .terms = &program.terms()});
    cost_of(program, bounded, [&] { return bounded.queries(); }).print("closure within bounds");
    InterferenceForest forest({.make_solver = z3(), .terms = &program.terms()});
    cost_of(program, forest, [&] { return forest.queries(); }).print("forest");
    MpcByTraces s2({.retrying = MpcByTraces::Retrying::core, .make_solver = z3(), .terms = &program.terms()});
    cost_of(program, s2, [&] { return s2.counts().queries; }).print("S2");
  }
}

}  // namespace
}  // namespace thrum
