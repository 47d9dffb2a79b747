// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it takes to add a strategy: one new file (round_robin.hpp), and one row in the table of strategies.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "campaign/session.hpp"
#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/oracle.hpp"
#include "oracle/random_program.hpp"
#include "oracle/round_robin.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"

namespace thrum {
namespace {

constexpr std::uint32_t kQuantumMax = 4;

// As it would stand in strategies.cpp.
constexpr StrategyRow kRow = {"round-robin", StrategyKind::randomised,
                              "threads take turns, each for a random quantum of steps",
                              [](const StrategySettings& settings) -> std::unique_ptr<Strategy> {
                                return std::make_unique<RoundRobin>(settings.seed, kQuantumMax);
                              }};

TEST(Exercise, ANewStrategyIsOneFileAndOneRow) {
  std::ifstream file(std::string(THRUM_SOURCE_DIR) + "/tests/oracle/round_robin.hpp");
  ASSERT_TRUE(file);
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  std::cout << "a new strategy: 1 new file of " << lines << " lines, 1 row in the table of strategies\n";
  EXPECT_LE(lines, 100);
}

// A whole search by it finds, confirms and simplifies bugs like any other, and only such as there are.
TEST(Exercise, TheNewStrategyFindsBugsThatThereAre) {
  std::uint64_t with_bugs = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= by_default(200); ++seed) {
    const RandomProgram random = random_program(seed, Family::a, 300);
    with_bugs += random.findings.bugs.empty() ? 0 : 1;
    ToyProgram program(random.code);
    Session::Host host;
    SessionSettings settings;
    settings.make = [seed](bool) { return kRow.make({.seed = seed}); };
    settings.limits = no_limits();
    settings.limits.executions = 300;
    settings.limits.keep_going = false;
    const SearchResult result = Session(program, host, settings).run();
    EXPECT_FALSE(result.guarantee.exhausted);
    EXPECT_NE(result.end, SearchEnd::lost_control) << result.lost_reason;
    if (result.bugs.empty()) continue;
    ++found;
    EXPECT_FALSE(random.findings.bugs.empty()) << "seed " << seed;
    EXPECT_EQ(result.bugs[0].unconfirmed, "");
    EXPECT_TRUE(result.bugs[0].simplified);
  }
  EXPECT_GT(found, with_bugs / 2) << "of " << with_bugs;
}

}  // namespace
}  // namespace thrum
