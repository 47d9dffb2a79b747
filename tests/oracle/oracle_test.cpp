// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every strategy against the oracle, on random programs and on those that once failed.
//
//   THRUM_ORACLE_PROGRAMS     random programs of each family (250, or 50 in a sanitized build; 20000 are the
//                             full run, or 100000 small ones)
//   THRUM_ORACLE_EXECUTIONS   that one has at most (20000; 300 make them small)
//   THRUM_ORACLE_SEED         seed of the first (1); the next has the next seed
//
// A disagreement is reported with its seed and a shrunk program, in the form in which it belongs into a new
// file in regressions/.
#include <gtest/gtest.h>

#include "oracle/compare.hpp"
#include "oracle/compare_best_first.hpp"
#include "oracle/compare_races.hpp"
#include "oracle/once_failed.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"

namespace thrum {
namespace {

constexpr std::size_t kOracleExecutionsMax = 20'000;
constexpr std::size_t kSpuriousMax = 2'000;  // each program is searched in over thirty ways, and so twice
const std::uint64_t kOraclePrograms = by_default(150);
constexpr std::uint64_t kProgramsThatHaveAll = 100;  // fewer may lack what is rare

std::string compare_all(const ToyCode& code, const Findings& findings, std::uint64_t seed) {
  std::string wrong = compare_systematic(code, findings);
  if (wrong.empty()) wrong = compare_best_first(code, findings, seed);
  if (wrong.empty()) wrong = compare_order(code, findings, seed);
  if (wrong.empty()) wrong = compare_explore(code, findings);
  if (wrong.empty()) wrong = compare_randomised(code, findings, seed);
  if (wrong.empty()) wrong = compare_workers(code, findings, seed);
  return wrong;
}

// Once more, where waits may also end for no reason. Nothing where that makes too many interleavings.
std::string compare_with_spurious(const RandomProgram& program, std::uint64_t seed) {
  if (program.code.spurious || !has_waits(program.code)) return "";
  RandomProgram more = with_spurious(program, kSpuriousMax);
  if (more.findings.gave_up) return "";
  std::string wrong = compare_spurious(program.findings, more.findings);
  if (wrong.empty()) wrong = compare_all(more.code, more.findings, seed);
  return wrong.empty() ? "" : "with spurious wake-ups: " + wrong;
}

// Family B: scheduling points at synchronization only must lose nothing that scheduling points everywhere
// show, where there is no race (Musuvathi and Qadeer, Theorem 2), and no race at all (Theorem 3). Where an
// execution is stopped by a bug, what would have come after may be lost on one side only, so such programs
// are left out.
std::string compare_granularity(const ToyCode& code, const Findings& findings) {
  Findings finer = enumerate(code, {.plain_is_visible = true, .executions_max = 2 * kOracleExecutionsMax});
  if (finer.gave_up) return "";
  for (const auto& [bug, preemptions] : finer.bugs) {
    if (bug.kind != BugKind::deadlock) return "";
  }
  if (finer.racy != findings.racy) return "a race is seen with one set of scheduling points only";
  if (finer.racy) return "";
  if (finer.bugs.size() != findings.bugs.size())
    return "a deadlock is seen with one set of scheduling points only";
  for (const auto& [bug, preemptions] : finer.bugs) {
    // Preemptions before plain accesses are never needed (Theorem 2 again).
    if (preemptions != findings.bugs.at(bug)) return "a deadlock needs another number of preemptions";
  }
  if (finer.final_states() != findings.final_states())
    return "other final states with more scheduling points";
  return "";
}

std::string compare_family(Family family, const ToyCode& code, const Findings& findings, std::uint64_t seed) {
  std::string wrong = family == Family::b ? compare_granularity(code, findings) : "";
  // Races do not matter to a search that does not look for them: its executions are the oracle's all the
  // same.
  if (wrong.empty()) wrong = compare_all(code, findings, seed);
  return wrong.empty() ? compare_with_spurious({code, findings}, seed) : wrong;
}

struct Totals {
  std::uint64_t executions = 0;
  std::uint64_t with_bugs = 0;
  std::uint64_t racy = 0;
  std::uint64_t spurious = 0;       // with waits that end for no reason in some execution
  std::uint64_t spurious_bugs = 0;  // and a bug that needs it, or that is cheaper so
  int cost_max = 0;
  std::array<std::uint64_t, kOpcodeCount> opcodes{};

  void add(const RandomProgram& program) {
    executions += program.findings.executions.size();
    with_bugs += program.findings.bugs.empty() ? 0 : 1;
    racy += program.findings.racy ? 1 : 0;
    cost_max = std::max(cost_max, program.findings.by_preemptions.rbegin()->first);
    if (has_waits(program.code))
      add_spurious(program.findings, with_spurious(program, kSpuriousMax).findings);
    for (const auto& thread : program.code.threads) {
      for (const Instruction& instruction : thread) ++opcodes[static_cast<std::size_t>(instruction.opcode)];
    }
  }

  void add_spurious(const Findings& without, const Findings& with) {
    if (with.gave_up || with.executions.size() == without.executions.size()) return;
    ++spurious;
    executions += with.executions.size();
    spurious_bugs += with.bugs != without.bugs ? 1 : 0;
  }
};

std::uint64_t programs_wanted() { return setting("THRUM_ORACLE_PROGRAMS", kOraclePrograms); }

Totals compare_random_programs(Family family) {
  std::uint64_t count = programs_wanted();
  std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::uint64_t most = setting("THRUM_ORACLE_EXECUTIONS", kOracleExecutionsMax);
  if (family == Family::c) most = std::min<std::uint64_t>(most, kSpuriousMax);
  Totals totals;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    RandomProgram program = random_program(seed, family, most);
    totals.add(program);
    std::string wrong = compare_family(family, program.code, program.findings, seed);
    if (wrong.empty()) continue;
    auto fails = [&](const ToyCode& code) {
      return !compare_family(family, code, enumerate(code), seed).empty();
    };
    ToyCode small = shrink(program.code, fails);
    ADD_FAILURE() << "# seed " << seed << ", family " << name_of(family) << ": " << wrong << "\n"
                  << "# shrunk: " << compare_family(family, small, enumerate(small), seed) << "\n"
                  << print(small);
    break;
  }
  std::cout << count << " programs, " << totals.executions << " executions, " << totals.with_bugs
            << " programs with bugs, " << totals.racy << " racy, " << totals.spurious
            << " programs with spurious wake-ups, " << totals.spurious_bugs
            << " where they matter to bugs, dearest execution " << totals.cost_max << "\n";
  return totals;
}

TEST(Oracle, AgreesWithAllStrategiesOnFamilyA) {
  Totals totals = compare_random_programs(Family::a);
  if (programs_wanted() < kProgramsThatHaveAll) return;
  EXPECT_GT(totals.with_bugs, 0u);
  EXPECT_EQ(totals.racy, 0u);
  for (int i = 0; i < kOpcodeCount; ++i) {
    auto opcode = static_cast<Opcode>(i);
    bool not_in_a = is_plain(opcode) || is_section(opcode) || is_for_terms(opcode) || opcode == Opcode::fence;
    EXPECT_EQ(totals.opcodes[static_cast<std::size_t>(i)] > 0, !not_in_a) << "opcode " << i;
  }
}

TEST(Oracle, AgreesWithAllStrategiesOnFamilyB) {
  Totals totals = compare_random_programs(Family::b);
  if (programs_wanted() < kProgramsThatHaveAll) return;
  EXPECT_GT(totals.racy, 0u);
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const bool not_in_b = is_section(opcode) || is_for_terms(opcode);
    EXPECT_EQ(totals.opcodes[static_cast<std::size_t>(i)] > 0, !not_in_b) << "opcode " << i;
  }
}

TEST(Oracle, AgreesWithAllStrategiesOnFamilyC) {
  Totals totals = compare_random_programs(Family::c);
  // Else there was little to compare.
  const std::uint64_t count = programs_wanted();
  if (count < kProgramsThatHaveAll) return;
  EXPECT_GT(totals.spurious, count / 3);
  EXPECT_GT(totals.spurious_bugs, count / 12);
}

TEST(Oracle, AgreesWithAllStrategiesOnFamilyE) {
  const Totals totals = compare_random_programs(Family::e);
  if (programs_wanted() < kProgramsThatHaveAll) return;
  EXPECT_GT(totals.opcodes[static_cast<std::size_t>(Opcode::move)], 0u);
  EXPECT_GT(totals.opcodes[static_cast<std::size_t>(Opcode::add_both)], 0u);
}

TEST(Oracle, AgreesOnProgramsThatOnceFailed) {
  RaceComparison comparison;
  for (const auto& [name, code] : programs_that_once_failed()) {
    Findings findings = enumerate(code);
    EXPECT_EQ(compare_granularity(code, findings), "") << name;
    EXPECT_EQ(compare_all(code, findings, 1), "") << name;
    RaceCount count;
    EXPECT_EQ(comparison.compare_program(code, findings, 0, count), "") << name;
  }
}

}  // namespace
}  // namespace thrum
