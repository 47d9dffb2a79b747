// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of programs with waiting loops where the last read of a round that would come to nothing is not
// enabled (Rounds::await), against all states. waiting_test.cpp says what is set in the environment.
#include <gtest/gtest.h>

#include <iostream>

#include "oracle/compare_waiting.hpp"
#include "oracle/setting.hpp"
#include "oracle/waiting_programs.hpp"

namespace thrum {
namespace {

using waiting::Dead;

constexpr WaitingSearch kAwait{.rounds = Rounds::await};
constexpr WaitingSearch kMerge{.rounds = Rounds::merge};
constexpr WaitingSearch kBestFirst{.algorithm = Reduction::persistent, .is_best_first = true};

TEST(WaitingAwait, RunsEachClassOfNamedProgramsOnce) {
  const std::pair<WaitingCode, const char*> kRows[] = {
      {waiting::ttas(2, Dead::cleared), "4+0"},
      {waiting::ttas(3, Dead::cleared), "36+0"},
      {waiting::ttas(4, Dead::cleared), "576+0"},
      {waiting::ttas(5, Dead::cleared), "14400+0"},
      {waiting::ttas(3, Dead::kept), "108+57"},
      {waiting::ttas(4, Dead::kept), "4320+2920"},
      {waiting::tas(3), "36+0"},
      {waiting::tas(4), "576+0"},
      {waiting::ticket(2), "2+0"},
      {waiting::ticket(3), "12+0"},
      {waiting::ticket(4), "192+0"},
      {waiting::barrier(4, Dead::cleared), "24+0"},
      {waiting::barrier(6, Dead::cleared), "720+0"},
      {waiting::barrier(4, Dead::kept), "96+0"},
      {waiting::mcs(2), "6+0"},
      {waiting::mcs(3), "66+0"},
      {waiting::mcs(4), "1080+0"},
      {waiting::mcs(5), "23640+0"},
      {waiting::seqlock(1, 1), "2+2"},
      {waiting::seqlock(2, 1), "4+12"},
      {waiting::seqlock(1, 2), "6+10"},
      {waiting::seqlock(2, 2), "18+110"},
      {waiting::ring(1, 1), "10+0"},
      {waiting::ring(2, 1), "328+0"},
      {waiting::ring(1, 2), "1184+0"},
      {waiting::treiber(1, 1, 0), "4+4"},
      {waiting::treiber(2, 0, 0), "8+10"},
      {waiting::treiber(1, 1, 1), "18+26"},
      {waiting::poll(1), "1+1"},
      {waiting::poll(2), "2+4"},
      {waiting::poll(3), "6+18"},
      {waiting::rwlock(1, 1), "4+2"},
      {waiting::rwlock(1, 2), "222+144"},
      {waiting::writers_and_reader(4), "120+0"},
  };
  for (const auto& [code, counts] : kRows) EXPECT_EQ(compare_waiting(code, kAwait, counts), "");
}

TEST(WaitingMerge, RunsEachClassOfNamedProgramsOnce) {
  const std::pair<WaitingCode, const char*> kRows[] = {
      {waiting::ttas(2, Dead::cleared), "4+0"},
      {waiting::ttas(3, Dead::cleared), "36+0"},
      {waiting::ttas(4, Dead::cleared), "576+0"},
      {waiting::ttas(3, Dead::kept), "36+27"},
      {waiting::ttas(4, Dead::kept), "576+532"},
      {waiting::tas(3), "36+0"},
      {waiting::tas(4), "576+0"},
      {waiting::ticket(2), "2+0"},
      {waiting::ticket(3), "6+6"},
      {waiting::ticket(4), "24+96"},
      {waiting::barrier(4, Dead::cleared), "24+0"},
      {waiting::barrier(4, Dead::kept), "24+72"},
      {waiting::mcs(2), "6+0"},
      {waiting::mcs(3), "48+18"},
      {waiting::mcs(4), "504+336"},
      {waiting::mcs(5), "6600+5520"},
      {waiting::seqlock(1, 1), "2+2"},
      {waiting::seqlock(2, 1), "4+12"},
      {waiting::seqlock(1, 2), "6+10"},
      {waiting::seqlock(2, 2), "18+110"},
      {waiting::ring(1, 1), "3+4"},
      {waiting::ring(2, 1), "16+45"},
      {waiting::ring(1, 2), "22+73"},
      {waiting::ring(2, 2), "284+1490"},
      {waiting::poll(1), "1+1"},
      {waiting::poll(2), "2+4"},
      {waiting::rwlock(1, 1), "4+2"},
      {waiting::rwlock(1, 2), "222+144"},
  };
  for (const auto& [code, counts] : kRows) EXPECT_EQ(compare_waiting(code, kMerge, counts), "");
}

// The counts are those of the classes of all interleavings.
TEST(WaitingAwait, LosesNothingWhereRoundsMatter) {
  for (const WaitingCode& code :
       {waiting::early_and_late_read(), waiting::transient_seen(false), waiting::transient_seen(true),
        waiting::added_and_taken_back(), waiting::aba_retry(), waiting::keeps_last_value(),
        waiting::keeps_whether_it_waited(), waiting::counts_rounds_modulo_four(),
        waiting::waits_for_what_is_taken_back(), waiting::counts_in_memory(),
        waiting::overwritten_behind()}) {
    for (const WaitingSearch& how : {kAwait, kMerge})
      EXPECT_EQ(compare_waiting(code, how, search_interleavings(code, how).counts()), "");
  }
}

TEST(WaitingAwait, MistakesAreFound) {
  const WaitingSearch blind{.rounds = Rounds::await, .mutations = {.ignores_seen = true}};
  EXPECT_EQ(compare_waiting(waiting::transient_seen(false), blind),
            "transient store seen: final states: 0 instead of 1");
  WaitingSearch in_any_order = kBestFirst;
  in_any_order.rounds = Rounds::await;
  in_any_order.mutations = blind.mutations;
  EXPECT_EQ(compare_waiting(waiting::transient_seen(false), in_any_order),
            "transient store seen: final states: 0 instead of 1");
  const WaitingSearch careless{.rounds = Rounds::await, .mutations = {.ignores_effects = true}};
  EXPECT_EQ(compare_waiting(waiting::counts_in_memory(), careless),
            "counts in memory: final states: 0 instead of 3");
}

TEST(WaitingAwait, FindsTheSameByOtherAlgorithms) {
  for (Reduction algorithm : {Reduction::source, Reduction::persistent, Reduction::race_flip}) {
    for (const WaitingCode& code :
         {waiting::ttas(3, Dead::cleared), waiting::mcs(2), waiting::seqlock(1, 1), waiting::rwlock(1, 1),
          waiting::early_and_late_read(), waiting::transient_seen(false), waiting::aba_retry()})
      EXPECT_EQ(compare_waiting(code, {.rounds = Rounds::await, .algorithm = algorithm}), "");
  }
}

TEST(WaitingAwait, FindsTheSameInAnyOrder) {
  for (Rounds rounds : {Rounds::block, Rounds::await, Rounds::merge}) {
    for (const WaitingCode& code :
         {waiting::ttas(3, Dead::cleared), waiting::ttas(3, Dead::kept), waiting::mcs(2), waiting::ticket(3),
          waiting::seqlock(1, 1), waiting::seqlock(2, 1), waiting::rwlock(1, 1), waiting::ring(1, 1),
          waiting::early_and_late_read(), waiting::transient_seen(false), waiting::transient_seen(true),
          waiting::added_and_taken_back(), waiting::aba_retry(), waiting::keeps_last_value(),
          waiting::keeps_whether_it_waited(), waiting::counts_rounds_modulo_four(),
          waiting::waits_for_what_is_taken_back(), waiting::counts_in_memory(),
          waiting::overwritten_behind()}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        WaitingSearch how = kBestFirst;
        how.rounds = rounds;
        how.seed = seed;
        EXPECT_EQ(compare_waiting(code, how), "");
      }
    }
  }
}

// Nothing differs for so many random programs.
void expect_reads_wait(WaitingFamily family, WaitingComparison compare, const WaitingSearch& how) {
  const std::uint64_t count = setting("THRUM_ORACLE_WAITING", by_default(300));
  WaitingTotals totals;
  const std::string wrong =
      compare_random_waiting(family, compare, how, setting("THRUM_ORACLE_SEED", 1), count, totals);
  EXPECT_TRUE(wrong.empty()) << wrong;
  std::cout << totals << "\n";
}

struct AwaitCase {
  const char* name;
  WaitingFamily family;
  Reduction algorithm = Reduction::optimal;
  Searched searched = Searched::at_once;
  Rounds rounds = Rounds::await;
  bool is_best_first = false;
};

class WaitingAwaitBy : public ::testing::TestWithParam<AwaitCase> {};

TEST_P(WaitingAwaitBy, LosesNothingOnRandomPrograms) {
  const AwaitCase& it = GetParam();
  expect_reads_wait(it.family, search_and_states,
                    {.rounds = it.rounds,
                     .algorithm = it.algorithm,
                     .is_best_first = it.is_best_first,
                     .searched = it.searched});
}

// Programs on which a search was once wrong.
TEST(WaitingAwait, LosesNothingOnProgramsThatOnceFailed) {
  WaitingTotals totals;
  EXPECT_EQ(compare_random_waiting(WaitingFamily::reads, search_and_states,
                                   {.rounds = Rounds::await, .algorithm = Reduction::persistent}, 1000360, 1,
                                   totals),
            "")
      << "an await was planned where it had become known that it is refused";
  WaitingSearch best_first = kBestFirst;
  best_first.rounds = Rounds::await;
  EXPECT_EQ(compare_random_waiting(WaitingFamily::reads, search_and_states, best_first, 2000217, 1, totals),
            "")
      << "nothing was known when an await was planned, which was refused then";
  EXPECT_EQ(compare_random_waiting(WaitingFamily::reads, search_and_states, best_first, 3000858, 1, totals),
            "")
      << "choices of what was kept of an execution were gone, since awaits had been refused";
}

TEST(WaitingAwait, RunsEachClassOfRandomProgramsOnce) {
  for (WaitingFamily family : {WaitingFamily::reads, WaitingFamily::transient}) {
    for (const WaitingSearch& how : {kAwait, kMerge})
      expect_reads_wait(family, search_and_interleavings, how);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WaitingAwaitBy,
    ::testing::Values(
        AwaitCase{"OptimalReads", WaitingFamily::reads},
        AwaitCase{"OptimalTransient", WaitingFamily::transient},
        AwaitCase{"OptimalKept", WaitingFamily::kept},
        AwaitCase{"SourceReads", WaitingFamily::reads, Reduction::source},
        AwaitCase{"SourceTransient", WaitingFamily::transient, Reduction::source},
        AwaitCase{"PersistentReads", WaitingFamily::reads, Reduction::persistent},
        AwaitCase{"PersistentTransient", WaitingFamily::transient, Reduction::persistent},
        AwaitCase{"RaceFlipReads", WaitingFamily::reads, Reduction::race_flip},
        AwaitCase{"RaceFlipTransient", WaitingFamily::transient, Reduction::race_flip},
        AwaitCase{"RaceFlipMerge", WaitingFamily::reads, Reduction::race_flip, Searched::at_once,
                  Rounds::merge},
        AwaitCase{"RaceFlipShared", WaitingFamily::reads, Reduction::race_flip, Searched::shared,
                  Rounds::merge},
        AwaitCase{"MergeReads", WaitingFamily::reads, Reduction::optimal, Searched::at_once, Rounds::merge},
        AwaitCase{"MergeTransient", WaitingFamily::transient, Reduction::optimal, Searched::at_once,
                  Rounds::merge},
        AwaitCase{"MergeKept", WaitingFamily::kept, Reduction::optimal, Searched::at_once, Rounds::merge},
        AwaitCase{"MergeSource", WaitingFamily::reads, Reduction::source, Searched::at_once, Rounds::merge},
        AwaitCase{"MergeShared", WaitingFamily::reads, Reduction::optimal, Searched::shared, Rounds::merge},
        AwaitCase{"BestFirstReads", WaitingFamily::reads, Reduction::persistent, Searched::at_once,
                  Rounds::await, true},
        AwaitCase{"BestFirstTransient", WaitingFamily::transient, Reduction::persistent, Searched::at_once,
                  Rounds::await, true},
        AwaitCase{"BestFirstMerge", WaitingFamily::reads, Reduction::persistent, Searched::at_once,
                  Rounds::merge, true},
        AwaitCase{"BestFirstMergeTransient", WaitingFamily::transient, Reduction::persistent,
                  Searched::at_once, Rounds::merge, true},
        AwaitCase{"BestFirstInParts", WaitingFamily::reads, Reduction::persistent, Searched::in_parts,
                  Rounds::merge, true},
        AwaitCase{"BestFirstAttempted", WaitingFamily::reads, Reduction::persistent, Searched::attempted,
                  Rounds::merge, true},
        AwaitCase{"InParts", WaitingFamily::reads, Reduction::optimal, Searched::in_parts},
        AwaitCase{"Attempted", WaitingFamily::reads, Reduction::optimal, Searched::attempted},
        AwaitCase{"Shared", WaitingFamily::reads, Reduction::optimal, Searched::shared}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace thrum
