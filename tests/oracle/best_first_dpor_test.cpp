// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Best-first search with partial-order reduction against the oracle.
//
//   THRUM_ORACLE_REDUCTION  random programs of each family (100; 100000 are the full run)
#include <gtest/gtest.h>

#include "oracle/compare_best_first.hpp"
#include "oracle/once_failed.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"
#include "search/frontier/memory_file.hpp"
#include "search/reduction/best_first_dpor.hpp"

namespace thrum {
namespace {

constexpr std::size_t kBestFirstExecutionsMax = 2'000;
constexpr OracleSettings kFindings{.count_classes = true, .count_local_states = true};

class BestFirstReductions : public ::testing::TestWithParam<Family> {};

TEST_P(BestFirstReductions, RunsEachClassOfRandomPrograms) {
  std::uint64_t count = setting("THRUM_ORACLE_REDUCTION", by_default(100));
  std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  ReductionCount all;
  std::uint64_t interleavings = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ToyCode code = random_program(seed, GetParam(), kBestFirstExecutionsMax).code;
    auto compare = [&](const ToyCode& some, ReductionCount& counted) {
      Findings findings = enumerate(some, kFindings);
      if (findings.racy && GetParam() == Family::b) return std::string();  // promises nothing there
      interleavings += findings.executions.size();
      return compare_best_first_dpor(some, findings, seed, counted);
    };
    std::string wrong = compare(code, all);
    if (wrong.empty()) continue;
    ReductionCount ignored;
    ToyCode small = shrink(code, [&](const ToyCode& some) { return !compare(some, ignored).empty(); });
    ADD_FAILURE() << "# seed " << seed << ": " << wrong << "\n# shrunk: " << compare(small, ignored) << "\n"
                  << print(small);
    return;
  }
  std::cout << interleavings << " interleavings; with all lists " << all.classes << " classes, "
            << all.executions << " executions, " << all.redundant << " redundant, " << all.blocked
            << " blocked, " << all.spilled << " plans from a file\n";
  if (count < 20) return;  // of few programs one may decide
  EXPECT_LT(all.redundant + all.blocked, all.executions / 2) << "nothing much is reduced";
}

INSTANTIATE_TEST_SUITE_P(All, BestFirstReductions,
                         ::testing::Values(Family::a, Family::b, Family::c, Family::d),
                         [](const auto& one) { return std::string(name_of(one.param)); });

// Three threads that write one variable three times each: 9! / 3!^3 classes. With memory for a small part of
// what waits all are run in the same order, and with nearly none the search says so.
TEST(BestFirstReduction, TakesAFileForWhatWaits) {
  std::string text = "thread t0\ncreate t1\ncreate t2\ncreate t3\n";
  for (const char* name : {"t1", "t2", "t3"})
    text += std::string("thread ") + name + "\nstore x0 1\nstore x0 2\nstore x0 3\n";
  const ToyCode code = parse(text).value();
  for (const auto& [name, some] : {std::pair{"pb", 90'000}, std::pair{"rand", 60'000}}) {
    std::vector<std::string> names = {name};
    std::vector<std::string> schedules[3];
    SearchStatistics kept[3];
    const std::uint64_t memory[] = {UINT64_MAX, static_cast<std::uint64_t>(some), 2'000};
    for (int i = 0; i < 3; ++i) {
      BestFirstDpor strategy({*PriorityList::make(names), 1, {memory[i], MemoryFile::make}});
      ToyProgram program(code);
      Plan plan;
      Trace trace;
      while (strategy.next(plan)) {
        program.run(plan, strategy.advisor(), strategy.wanted(), trace);
        strategy.learn(plan, trace);
        schedules[i].push_back(program.schedule());
      }
      kept[i] = strategy.statistics();
      EXPECT_EQ(strategy.problem().empty(), i < 2) << strategy.problem();
      EXPECT_EQ(strategy.guarantee().exhausted, i < 2);
    }
    EXPECT_EQ(schedules[0].size(), 1'680u);
    EXPECT_EQ(schedules[1], schedules[0]);
    EXPECT_EQ(kept[0].spilled, 0u);
    EXPECT_GT(kept[1].spilled, 50u);
    EXPECT_LT(kept[1].nodes_max, kept[0].nodes_max);
    EXPECT_LT(schedules[2].size(), schedules[0].size());
  }
}

TEST(BestFirstReduction, RunsEachClassOfProgramsThatOnceFailed) {
  int programs = 0;
  for (const auto& [name, code] : programs_that_once_failed()) {
    Findings findings = enumerate(code, kFindings);
    if (findings.racy) continue;
    ReductionCount count;
    // Each seed puts the search down after another number of executions.
    const std::uint64_t kParts = by_default(5);
    for (std::uint64_t seed = 1; seed <= kParts; ++seed)
      EXPECT_EQ(compare_best_first_dpor(code, findings, seed, count), "") << name << ", seed " << seed;
    ++programs;
  }
  EXPECT_GT(programs, 0) << "all are racy";
}

}  // namespace
}  // namespace thrum
