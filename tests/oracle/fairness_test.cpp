// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fair scheduler leaves programs alone in which no thread goes round in a loop: random programs, which
// branch forwards only, whatever they yield and wait, are searched in the same executions, in the same order.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {
namespace {

const std::uint64_t kSeeds = by_default(200);  // of each family
constexpr std::size_t kFairnessExecutionsMax = 1000;

std::vector<std::string> schedules(const ToyCode& code, const Systematic::Settings& settings,
                                   Fairness fairness) {
  ToyProgram program(code);
  Systematic strategy(settings);
  std::vector<std::string> found;
  Plan plan;
  Trace trace;
  while (strategy.next(plan)) {
    plan.policy.fairness = fairness;
    program.run(plan, strategy.advisor(), strategy.wanted(), trace);
    EXPECT_EQ(trace.counts.withheld, 0u);
    EXPECT_FALSE(trace.starved);
    found.push_back(program.schedule() + " cost " + std::to_string(trace.cost));
    strategy.learn(plan, trace);
  }
  return found;
}

class FairScheduling : public testing::TestWithParam<Family> {};

TEST_P(FairScheduling, LeavesProgramsWithoutLoopsAlone) {
  std::uint64_t executions = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ToyCode code = random_program(seed, GetParam(), kFairnessExecutionsMax).code;
    for (bool cheapest_first : {true, false}) {
      for (std::optional<std::uint32_t> limit : {std::optional<std::uint32_t>(), {1}}) {
        Systematic::Settings settings{.limit = limit, .cheapest_first = cheapest_first};
        std::vector<std::string> off = schedules(code, settings, Fairness::off);
        ASSERT_EQ(schedules(code, settings, Fairness::on), off) << "seed " << seed;
        ASSERT_EQ(schedules(code, settings, Fairness::watch), off) << "seed " << seed;
        executions += off.size();
      }
    }
  }
  EXPECT_GT(executions, 10 * kSeeds);
}

INSTANTIATE_TEST_SUITE_P(Families, FairScheduling, testing::Values(Family::a, Family::c));

}  // namespace
}  // namespace thrum
