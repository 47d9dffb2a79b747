// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search by several workers, who take turns here, comes to the same as one alone.
//
//   THRUM_ORACLE_REDUCTION  random programs of each family (250)
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

constexpr std::size_t kSharedExecutionsMax = 1'000;
constexpr std::size_t kCallBackEach = 12;  // of the turns of a part one ends with what is left given back

struct Worker {
  std::unique_ptr<Strategy> strategy;
  Worker* from = nullptr;  // whose part it is
  SearchSoFar so_far;
  bool waits = false;
};

// As it comes from another process.
std::unique_ptr<Strategy> through_bytes(Strategy& strategy, const char* name, ThreadNames& names) {
  ByteWriter out;
  strategy.durable()->save(out, names);
  ByteReader in(out.bytes());
  std::unique_ptr<Strategy> same = make_strategy(name, {});
  EXPECT_TRUE(same->durable()->load(in, names) && in.at_end());
  return same;
}

SearchResult explore_together(Program& program, const char* name, int& parts) {
  Random random(1);
  std::vector<std::unique_ptr<Worker>> workers;  // the first has the whole
  workers.push_back(std::make_unique<Worker>());
  workers[0]->strategy = make_strategy(name, {});
  while (true) {
    const std::size_t turn = random.below(workers.size());
    Worker& worker = *workers[turn];
    if (worker.waits) continue;
    if (std::unique_ptr<Strategy> part = worker.strategy->divisible()->split()) {
      ++parts;
      workers.push_back(std::make_unique<Worker>());
      workers.back()->strategy = std::move(part);
      workers.back()->from = &worker;
    }
    Limits some = no_limits();
    some.is_part = true;
    some.executions = worker.so_far.result.executions + 1 + random.below(6);
    worker.so_far = explore_part(program, *worker.strategy, some, std::move(worker.so_far));
    const bool is_called_back = turn != 0 && random.below(kCallBackEach) == 0;
    const bool has_more = worker.so_far.result.end == SearchEnd::executions;
    if (has_more && !is_called_back) continue;
    EXPECT_TRUE(has_more || worker.so_far.result.end == SearchEnd::exhausted);
    worker.so_far.result.end = SearchEnd::exhausted;
    if (turn == 0) {
      worker.waits = workers.size() > 1;
      if (worker.waits) continue;
      EXPECT_FALSE(worker.strategy->divisible()->waits());
      break;
    }
    // What it has given away comes to where it goes.
    for (const auto& other : workers) {
      if (other->from == &worker) other->from = worker.from;
    }
    worker.from->strategy->divisible()->merge(*through_bytes(*worker.strategy, name, program.names()));
    merge(worker.from->so_far, std::move(worker.so_far));
    worker.from->waits = false;
    workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(turn));
  }
  return conclude(std::move(workers[0]->so_far), *workers[0]->strategy);
}

// Bugs, each with the fewest preemptions that were needed, where that is known.
std::map<ToyBug, int> bugs_of(const SearchResult& result, bool with_preemptions) {
  std::map<ToyBug, int> bugs;
  for (const FoundBug& bug : result.bugs)
    bugs[bug_of(bug.failure)] = with_preemptions ? static_cast<int>(bug.preemptions) : 0;
  return bugs;
}

std::string compare(const ToyCode& code, const char* name, int& parts) {
  ToyProgram program(code);
  const std::unique_ptr<Strategy> strategy = make_strategy(name, {});
  const SearchResult alone = explore(program, *strategy, no_limits());
  const SearchResult together = explore_together(program, name, parts);
  const bool is_systematic = std::string(name) == "icb" || std::string(name) == "dfs";
  if (bugs_of(alone, is_systematic) != bugs_of(together, is_systematic)) return "other bugs";
  if (together.end != alone.end) return "another end";
  if (together.guarantee.complete != alone.guarantee.complete) return "complete in one way only";
  // With auto it depends on who comes to the end first.
  const bool counts = together.statistics.classes && alone.statistics.classes;
  if (counts && together.statistics.classes != alone.statistics.classes)
    return std::to_string(together.statistics.classes.value_or(0)) + " classes instead of " +
           std::to_string(alone.statistics.classes.value_or(0));
  if (is_systematic && together.executions != alone.executions) return "another number of executions";
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;
  for (const LevelCount& level : together.statistics.levels) {
    executions += level.executions;
    classes += level.classes;
  }
  if (executions != together.executions) return "levels do not add up";
  if (!together.statistics.classes) return "";
  if (classes != *together.statistics.classes) return "classes of levels do not add up";
  if (together.statistics.growth.back().executions != together.executions)
    return "growth does not end at the end";
  return "";
}

// One part, split off after so many executions and merged after so many more.
std::string compare_with_part(const ToyCode& code, const char* name) {
  ToyProgram program(code);
  auto run = [&](Strategy& strategy, SearchSoFar& so_far, std::uint64_t executions) {
    Limits some = no_limits();
    some.is_part = true;
    some.executions = so_far.result.executions + executions;
    if (executions > 0) so_far = explore_part(program, strategy, some, std::move(so_far));
  };
  const std::unique_ptr<Strategy> strategy = make_strategy(name, {});
  const SearchResult alone = explore(program, *strategy, no_limits());
  for (std::uint64_t before = 1; before < alone.executions; ++before) {
    for (std::uint64_t beside = 0; before + beside < alone.executions; ++beside) {
      const std::unique_ptr<Strategy> whole = make_strategy(name, {});
      SearchSoFar so_far;
      run(*whole, so_far, before);
      const std::unique_ptr<Strategy> part = whole->divisible()->split();
      if (part == nullptr) break;
      run(*whole, so_far, beside);
      SearchSoFar found;
      run(*part, found, kSharedExecutionsMax * 2);
      whole->divisible()->merge(*part);
      merge(so_far, std::move(found));
      run(*whole, so_far, kSharedExecutionsMax * 2);
      const SearchResult together = conclude(std::move(so_far), *whole);
      const std::string where = std::to_string(before) + " + " + std::to_string(beside) + ": ";
      if (!together.guarantee.complete) return where + "not complete";
      if (together.statistics.classes != alone.statistics.classes)
        return where + std::to_string(together.statistics.classes.value_or(0)) + " classes instead of " +
               std::to_string(alone.statistics.classes.value_or(0));
      if (bugs_of(alone, false) != bugs_of(together, false)) return where + "other bugs";
    }
  }
  return "";
}

TEST(SharedReduction, IsSplitAndMergedAtAnyTime) {
  const std::uint64_t count = setting("THRUM_ORACLE_REDUCTION", by_default(60));
  for (const char* name : {"dpor", "dpor-source", "dpor-persistent", "race-flip"}) {
    for (Family family : {Family::a, Family::c, Family::d}) {
      for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const ToyCode code = random_program(seed, family, kSharedExecutionsMax / 5).code;
        const std::string wrong = compare_with_part(code, name);
        if (wrong.empty()) continue;
        const ToyCode small =
            shrink(code, [&](const ToyCode& some) { return !compare_with_part(some, name).empty(); });
        ADD_FAILURE() << "# " << name << ", family " << name_of(family) << ", seed " << seed << ": " << wrong
                      << "\n# shrunk: " << compare_with_part(small, name) << "\n"
                      << print(small);
        break;
      }
    }
  }
}

// Threads read what another one writes: below the first branch each set of reads that may come before the
// write is found to be run before it, as often as there are executions.
TEST(SharedReduction, ReportsOneReversalForEachStep) {
  constexpr int kReads = 15;
  std::string text = "thread t0\n create t1\n create t2\n create t3\n create t4\nthread t1\n store x0 1\n";
  for (const char* reader : {"t2", "t3", "t4"}) {
    text += std::string("thread ") + reader + "\n";
    for (int i = 0; i < kReads; ++i) text += " load x0 r0\n";
  }
  const std::optional<ToyCode> code = parse(text);
  ASSERT_TRUE(code);
  ToyProgram program(*code);
  const std::unique_ptr<Strategy> whole = make_strategy("dpor", {});
  std::unique_ptr<Strategy> part;
  SearchSoFar so_far;
  Limits some = no_limits();
  some.is_part = true;
  while (part == nullptr) {
    some.executions = so_far.result.executions + 1;
    so_far = explore_part(program, *whole, some, std::move(so_far));
    ASSERT_EQ(so_far.result.end, SearchEnd::executions);
    if (so_far.result.executions > 50) part = whole->divisible()->split();
  }
  some.executions = 0;
  SearchSoFar of_part = explore_part(program, *part, some, {});
  EXPECT_GT(of_part.result.executions, 100);
  ByteWriter out;
  part->durable()->save(out, program.names());
  EXPECT_LT(out.bytes().size(), 7'000);  // with all of them 15,000
  whole->divisible()->merge(*part);
  merge(so_far, std::move(of_part));
  some = no_limits();
  so_far = explore_part(program, *whole, some, std::move(so_far));
  EXPECT_EQ(so_far.result.executions, (kReads + 1) * (kReads + 1) * (kReads + 1));
}

class SharedSearch : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedSearch, ComesToTheSameAsOneAlone) {
  const std::uint64_t count = setting("THRUM_ORACLE_REDUCTION", by_default(250));
  int parts = 0;
  int none = 0;
  for (Family family : {Family::a, Family::c, Family::d}) {
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      const ToyCode code = random_program(seed, family, kSharedExecutionsMax).code;
      const std::string wrong = compare(code, GetParam(), parts);
      if (wrong.empty()) continue;
      const ToyCode small =
          shrink(code, [&](const ToyCode& some) { return !compare(some, GetParam(), none).empty(); });
      ADD_FAILURE() << "# family " << name_of(family) << ", seed " << seed << ": " << wrong
                    << "\n# shrunk: " << compare(small, GetParam(), none) << "\n"
                    << print(small);
      return;
    }
  }
  EXPECT_GT(parts, static_cast<int>(count));
}

INSTANTIATE_TEST_SUITE_P(Strategies, SharedSearch,
                         ::testing::Values("dfs", "icb", "best-first", "dpor", "dpor-source",
                                           "dpor-persistent", "race-flip", "bpor", "auto"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace thrum
