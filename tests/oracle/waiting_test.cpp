// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of programs with waiting loops against all states: a thread whose round came to nothing is
// blocked (Rounds::block). waiting_await_test.cpp has what waits instead.
//
//   THRUM_ORACLE_WAITING   random programs of each family (300; 20000 are the full run)
//   THRUM_ORACLE_SEED      the first one
#include <gtest/gtest.h>

#include <iostream>

#include "oracle/compare_waiting.hpp"
#include "oracle/setting.hpp"
#include "oracle/waiting_machine.hpp"
#include "oracle/waiting_programs.hpp"

namespace thrum {
namespace {

using waiting::Dead;

constexpr WaitingSearch kBlock{.rounds = Rounds::block};

TEST(WaitingMachine, KnowsAllStatesOfALoop) {
  const WaitingTruth truth = all_states(waiting::early_and_late_read(), 100);
  EXPECT_FALSE(truth.gave_up);
  // Before the writer's stores, between and behind them the reader is before its first or second read; behind
  // them it may have ended.
  EXPECT_EQ(truth.states, 7u);
  EXPECT_EQ(truth.finals.size(), 1u);
  EXPECT_EQ(truth.stuck.size(), 1u);
}

TEST(WaitingBlock, RunsEachClassOfNamedProgramsOnce) {
  const std::pair<WaitingCode, const char*> kRows[] = {
      {waiting::ttas(2, Dead::cleared), "4+4"},
      {waiting::ttas(3, Dead::cleared), "36+72"},
      {waiting::ttas(4, Dead::cleared), "576+1928"},
      {waiting::ttas(3, Dead::kept), "108+243"},
      {waiting::ttas(4, Dead::kept), "4320+18252"},
      {waiting::tas(3), "36+39"},
      {waiting::tas(4), "576+1084"},
      {waiting::ticket(2), "2+2"},
      {waiting::ticket(3), "12+24"},
      {waiting::ticket(4), "192+480"},
      {waiting::barrier(4, Dead::cleared), "24+168"},
      {waiting::barrier(6, Dead::cleared), "720+22320"},
      {waiting::barrier(4, Dead::kept), "96+336"},
      {waiting::mcs(2), "6+6"},
      {waiting::mcs(3), "66+102"},
      {waiting::mcs(4), "1080+1944"},
      {waiting::seqlock(1, 1), "2+5"},
      {waiting::seqlock(2, 1), "4+45"},
      {waiting::seqlock(1, 2), "6+32"},
      {waiting::seqlock(2, 2), "18+704"},
      {waiting::ring(1, 1), "10+6"},
      {waiting::ring(2, 1), "328+168"},
      {waiting::ring(1, 2), "1184+1008"},
      {waiting::treiber(1, 1, 1), "18+33"},
      {waiting::treiber(2, 0, 0), "8+12"},
      {waiting::poll(1), "1+1"},
      {waiting::poll(2), "2+4"},
      {waiting::poll(3), "6+18"},
      {waiting::writers_and_reader(4), "120+0"},
  };
  for (const auto& [code, counts] : kRows) EXPECT_EQ(compare_waiting(code, kBlock, counts), "");
}

// By the rule that all which others write before the round's end makes it one that was seen, these are 6+2
// and 450+456.
TEST(WaitingBlock, RunsEachClassOfAReadWriteLockOnce) {
  EXPECT_EQ(compare_waiting(waiting::rwlock(1, 1), kBlock, "4+4"), "");
  EXPECT_EQ(compare_waiting(waiting::rwlock(1, 2), kBlock, "222+426"), "");
}

TEST(WaitingBlock, LosesNothingWhereRoundsMatter) {
  const std::pair<WaitingCode, const char*> kRows[] = {
      {waiting::early_and_late_read(), "1+0+2"},
      {waiting::transient_seen(false), "1+1+2"},
      {waiting::transient_seen(true), "1+1+2"},
      {waiting::added_and_taken_back(), "9+4"},
      {waiting::aba_retry(), "8+5"},
      {waiting::keeps_last_value(), "4+4"},
      {waiting::keeps_whether_it_waited(), "2+1"},
      {waiting::counts_rounds_modulo_four(), "4+1"},
      {waiting::waits_for_what_is_taken_back(), "5+2+2"},
      {waiting::counts_in_memory(), "3+0"},
      {waiting::overwritten_behind(), "6+3"},
  };
  for (const auto& [code, counts] : kRows) EXPECT_EQ(compare_waiting(code, kBlock, counts), "");
}

TEST(WaitingBlock, FindsTheSameByOtherAlgorithms) {
  for (Reduction algorithm : {Reduction::source, Reduction::persistent, Reduction::race_flip}) {
    for (const WaitingCode& code :
         {waiting::ttas(3, Dead::cleared), waiting::mcs(2), waiting::seqlock(1, 1), waiting::rwlock(1, 1),
          waiting::early_and_late_read(), waiting::transient_seen(false), waiting::aba_retry()})
      EXPECT_EQ(compare_waiting(code, {.rounds = Rounds::block, .algorithm = algorithm}), "");
  }
}

TEST(WaitingBlock, MistakesAreFound) {
  const WaitingSearch blind{.rounds = Rounds::block, .mutations = {.ignores_seen = true}};
  EXPECT_EQ(compare_waiting(waiting::transient_seen(false), blind),
            "transient store seen: final states: 0 instead of 1");
  EXPECT_EQ(compare_waiting(waiting::transient_seen(true), blind),
            "transient store seen by a read-modify-write: final states: 0 instead of 1");
  const WaitingSearch careless{.rounds = Rounds::block, .mutations = {.ignores_effects = true}};
  EXPECT_EQ(compare_waiting(waiting::counts_in_memory(), careless),
            "counts in memory: final states: 0 instead of 3");
  const WaitingSearch late{.rounds = Rounds::block, .mutations = {.sees_behind = true}};
  EXPECT_EQ(compare_waiting(waiting::overwritten_behind(), late),
            "overwritten behind a transient store: a plan could not be followed");
}

// Nothing differs for so many random programs of a family.
void expect_on_random_programs(WaitingFamily family, WaitingComparison compare, const WaitingSearch& how) {
  const std::uint64_t count = setting("THRUM_ORACLE_WAITING", by_default(300));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  WaitingTotals totals;
  const std::string wrong = compare_random_waiting(family, compare, how, first, count, totals);
  EXPECT_TRUE(wrong.empty()) << wrong;
  std::cout << totals << "\n";
}

void expect_on_random_programs(WaitingComparison compare, const WaitingSearch& how) {
  for (WaitingFamily family : {WaitingFamily::reads, WaitingFamily::transient})
    expect_on_random_programs(family, compare, how);
}

class WaitingBlockBy : public ::testing::TestWithParam<Reduction> {};

TEST_P(WaitingBlockBy, LosesNothingOnRandomPrograms) {
  expect_on_random_programs(search_and_states, {.rounds = Rounds::block, .algorithm = GetParam()});
}

TEST(WaitingBlock, LosesNothingInPartsSharedAndAttempted) {
  for (Searched searched : {Searched::in_parts, Searched::shared, Searched::attempted})
    expect_on_random_programs(search_and_states, {.rounds = Rounds::block, .searched = searched});
}

TEST(WaitingBlock, LosesNothingInAnyOrder) {
  for (Searched searched : {Searched::at_once, Searched::in_parts, Searched::attempted}) {
    expect_on_random_programs(search_and_states, {.rounds = Rounds::block,
                                                  .algorithm = Reduction::persistent,
                                                  .is_best_first = true,
                                                  .searched = searched});
  }
}

// Rounds that write are seen or not by the order of stores, which a class by reads-from leaves open.
TEST(WaitingBlock, LosesNoFailedAssertionByReadsFrom) {
  expect_on_random_programs(WaitingFamily::reads, search_and_states,
                            {.rounds = Rounds::block, .by = WaitingBy::reads_from});
}

TEST(WaitingBlock, UnfoldingsLoseNothing) {
  for (WaitingBy by : {WaitingBy::unfolding, WaitingBy::replicated})
    expect_on_random_programs(WaitingFamily::reads, search_and_states, {.rounds = Rounds::block, .by = by});
}

TEST(WaitingBlock, RunsEachClassOfRandomProgramsOnce) {
  expect_on_random_programs(search_and_interleavings, kBlock);
}

class WaitingMachineBy : public ::testing::TestWithParam<Rounds> {};

// Whatever a reduction makes of it.
TEST_P(WaitingMachineBy, LosesNothingByAllInterleavings) {
  expect_on_random_programs(interleavings_and_states, {.rounds = GetParam()});
}

INSTANTIATE_TEST_SUITE_P(All, WaitingMachineBy, ::testing::Values(Rounds::block, Rounds::await),
                         [](const auto& one) { return one.param == Rounds::block ? "Block" : "Await"; });

TEST(WaitingMachine, HasAsManyClassesWhereReadsWait) {
  const std::pair<WaitingCode, const char*> kRows[] = {
      {waiting::ttas(2, Dead::cleared), "4+0"},
      {waiting::ttas(3, Dead::cleared), "36+0"},
      {waiting::ttas(3, Dead::kept), "108+57"},
      {waiting::tas(3), "36+0"},
      {waiting::tas(4), "576+0"},
      {waiting::ticket(2), "2+0"},
      {waiting::ticket(3), "12+0"},
      {waiting::barrier(3, Dead::cleared), "6+0"},
      {waiting::barrier(3, Dead::kept), "12+0"},
      {waiting::mcs(2), "6+0"},
      {waiting::seqlock(1, 1), "2+2"},
      {waiting::seqlock(2, 1), "4+12"},
      {waiting::seqlock(1, 2), "6+10"},
      {waiting::ring(1, 1), "10+0"},
      {waiting::treiber(1, 1, 0), "4+4"},
      {waiting::poll(2), "2+4"},
      {waiting::rwlock(1, 1), "4+2"},
      {waiting::rwlock(1, 2), "222+144"},
      {waiting::early_and_late_read(), "1+0+1"},
      {waiting::transient_seen(false), "1+1+2"},
  };
  const WaitingSearch how{.rounds = Rounds::await, .executions_max = 300'000};
  for (const auto& [code, counts] : kRows)
    EXPECT_EQ(compare_waiting(code, how, counts, search_interleavings), "");
}

INSTANTIATE_TEST_SUITE_P(All, WaitingBlockBy,
                         ::testing::Values(Reduction::optimal, Reduction::source, Reduction::persistent,
                                           Reduction::race_flip),
                         [](const auto& one) {
                           return std::string(one.param == Reduction::optimal      ? "Optimal"
                                              : one.param == Reduction::source     ? "Source"
                                              : one.param == Reduction::persistent ? "Persistent"
                                                                                   : "RaceFlip");
                         });

}  // namespace
}  // namespace thrum
