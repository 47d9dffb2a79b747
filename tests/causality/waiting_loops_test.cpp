// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches by constraint solving on programs with waiting loops, held against all states: failed assertions,
// and whether threads wait for ever.
//
//   THRUM_ORACLE_WAITING   random programs (300; 20000 are the full run)
//   THRUM_ORACLE_SEED      the first one
#include <gtest/gtest.h>

#include <iostream>

#include "causality/causality_search.hpp"
#include "oracle/compare_waiting.hpp"
#include "oracle/setting.hpp"
#include "oracle/waiting_programs.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {
namespace {

std::unique_ptr<Strategy> search_by_values() {
  CausalitySearch::Settings settings;
  settings.make_solver = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); };
  return std::make_unique<CausalitySearch>(settings);
}

constexpr WaitingSearch kByValues{.rounds = Rounds::block, .by = WaitingBy::maker, .make = search_by_values};

TEST(CausalityInLoops, ShowsWhatNamedProgramsDo) {
  using waiting::Dead;
  for (const WaitingCode& code :
       {waiting::ttas(2, Dead::cleared), waiting::ttas(2, Dead::kept), waiting::tas(2), waiting::ticket(2),
        waiting::mcs(2), waiting::seqlock(1, 1), waiting::ring(1, 1), waiting::early_and_late_read()}) {
    EXPECT_EQ(compare_waiting(code, kByValues), "");
    std::cout << code.name << ": " << search_waiting(code, kByValues).executions << " executions\n";
  }
}

TEST(CausalityInLoops, LosesNothingInRandomPrograms) {
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  const std::uint64_t count = setting("THRUM_ORACLE_WAITING", by_default(300));
  WaitingTotals totals;
  EXPECT_EQ(compare_random_waiting(WaitingFamily::reads, search_and_states, kByValues, first, count, totals),
            "");
  std::cout << totals << '\n';
}

}  // namespace
}  // namespace thrum
