// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race detector against Goldilocks and the oracle, on the random programs of family B.
//
//   THRUM_ORACLE_RACES   random programs (100000 are the full run)
//   THRUM_ORACLE_SEED    seed of the first (1); the next has the next seed
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "oracle/compare_races.hpp"
#include "oracle/random_program.hpp"
#include "oracle/shrink.hpp"

namespace thrum {
namespace {

constexpr std::size_t kExecutionsMax = 1'000;
constexpr std::size_t kFinestMax = 10'000'000;
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kPrograms = 100;
#else
constexpr std::uint64_t kPrograms = 4'000;
#endif

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

// With assertions that never fail: what stops executions hides races.
ToyCode without_assertions(ToyCode code) {
  for (auto& thread : code.threads) {
    for (Instruction& instruction : thread) {
      if (instruction.opcode == Opcode::equal || instruction.opcode == Opcode::unequal)
        instruction.opcode = Opcode::skip;  // of no instructions
    }
  }
  return code;
}

TEST(Races, DetectorsAndOracleAgreeOnFamilyB) {
  std::uint64_t programs = setting("THRUM_ORACLE_RACES", kPrograms);
  std::uint64_t seed = setting("THRUM_ORACLE_SEED", 1);
  RaceComparison comparison;
  RaceCount count;
  for (std::uint64_t end = seed + programs; seed < end; ++seed) {
    ToyCode code = without_assertions(random_program(seed, Family::b, kExecutionsMax).code);
    auto compare = [&](const ToyCode& program, RaceCount& counted) {
      return comparison.compare_program(program, enumerate(program), kFinestMax, counted);
    };
    std::string wrong = compare(code, count);
    if (wrong.empty()) continue;
    RaceCount ignored;
    ToyCode small = shrink(code, [&](const ToyCode& smaller) { return !compare(smaller, ignored).empty(); });
    ADD_FAILURE() << "# seed " << seed << ", family B: " << wrong << "\n# shrunk: " << compare(small, ignored)
                  << "\n"
                  << print(small);
    break;
  }
  std::cout << programs << " programs, " << count.racy << " racy; " << count.traces << " traces, "
            << count.racy_traces << " racy; " << count.stopped << " programs where a bug hides a race, "
            << count.undecided << " too large for the oracle\n";
  // Else little was compared.
  EXPECT_GT(count.racy, programs / 5);
  EXPECT_GT(programs - count.racy, programs / 5);
  EXPECT_LT(count.stopped + count.undecided, programs / 20);
}

}  // namespace
}  // namespace thrum
