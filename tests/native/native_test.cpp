// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The native runtime against the oracle: random toy programs, translated to C++, compiled and checked.
//
//   THRUM_NATIVE_PROGRAMS   random programs of each family (where it is not set: fewer, and not every search
//                           for each; 2000 are the full run)
//   THRUM_NATIVE_SEED       seed of the first (1); the next has the next seed
//   THRUM_NATIVE_FLAGS      for the compiler (-O1)
//   THRUM_NATIVE_ENGINE     vm: the machine, which runs the same programs' bitcode (native)
//
// A disagreement is reported with its seed and a shrunk program, in the form in which it belongs into a new
// file in toys/; the sources are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "native/compare.hpp"
#include "native/translate.hpp"
#include "native/workshop.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kExecutionsMax = 20'000;
constexpr std::uint64_t kProgramsInOneBinary = 100;

// Every search that there is to compare.
std::vector<Search> all_searches(Family family) {
  bool races = family == Family::b;
  std::vector<Search> searches;
  for (const char* strategy : {"icb", "dfs"}) {
    searches.push_back({strategy, Base::nonpreemptive, std::nullopt, races});
    for (std::uint32_t limit = 0; limit < 3; ++limit) {
      searches.push_back({strategy, Base::nonpreemptive, limit, races});
      searches.push_back({strategy, Base::round_robin, limit, races});
    }
  }
  return searches;
}

// A choice that differs from seed to seed.
std::vector<Search> some_searches(Family family, std::uint64_t seed) {
  auto limit = [](std::uint64_t n) { return static_cast<std::uint32_t>(n % 3); };
  bool races = family == Family::b;
  const char* one = seed % 2 == 0 ? "icb" : "dfs";
  const char* other = seed % 2 == 0 ? "dfs" : "icb";
  return {{"icb", Base::nonpreemptive, std::nullopt, races},
          {other, Base::nonpreemptive, limit(seed), races},
          {one, Base::round_robin, limit(seed / 3), races}};
}

// All that a timed wait can do is compared, however long it is.
json check(const Workshop& workshop, const std::string& name, std::size_t number,
           std::vector<std::string> options) {
  options.insert(options.end(), {"--early-timeouts", "1e9"});
  return workshop.check(name, number, options);
}

// One program of a binary: the first disagreement, or an empty text.
std::string compare(const Workshop& workshop, const std::string& name, std::size_t number,
                    const RandomProgram& program, const std::vector<Search>& searches, std::uint64_t seed) {
  const Findings& findings = program.findings;
  try {
    for (Search search : searches) {
      search.spurious = program.code.spurious;
      std::string wrong = compare_result(check(workshop, name, number, search.options()), findings, search);
      if (!wrong.empty()) return search.text() + ": " + wrong;
    }
    // One of them for each program, in turn.
    constexpr const char* kRandomised[] = {"random", "pct", "pos", "surw", "urw"};
    const std::string strategy = kRandomised[seed % std::size(kRandomised)];
    std::vector<std::string> random = {"--strategy", strategy, "--executions",
                                       "50",         "--seed", std::to_string(seed)};
    if (searches.front().ignores_races) random.insert(random.end(), {"--races", "ignore"});
    if (program.code.spurious) random.push_back("--spurious");
    std::string wrong = compare_sample(check(workshop, name, number, random), findings);
    return wrong.empty() ? "" : strategy + ": " + wrong;
  } catch (const std::exception& error) {
    return error.what();
  }
}

// A program by itself, with all searches. Its source stays in the workshop under that name.
std::string compare_alone(const Workshop& workshop, const std::string& name, const ToyCode& code,
                          Family family, std::uint64_t seed) {
  Findings findings = enumerate(code, {.executions_max = kExecutionsMax});
  if (findings.gave_up || findings.executions.size() < 2) return "";
  std::string wrong = workshop.compile(name, translate({code}));
  return wrong.empty() ? compare(workshop, name, 0, {code, findings}, all_searches(family), seed) : wrong;
}

void report(Workshop& workshop, const ToyCode& code, Family family, std::uint64_t seed,
            const std::string& wrong) {
  workshop.keep();
  auto disagrees = [&](const ToyCode& smaller) {
    return !compare_alone(workshop, "shrunk", smaller, family, seed).empty();
  };
  std::string alone = compare_alone(workshop, "failed", code, family, seed);
  ToyCode small = alone.empty() ? code : shrink(code, disagrees);
  ADD_FAILURE() << "# seed " << seed << ", family "
                << (family == Family::a   ? "A: "
                    : family == Family::b ? "B: "
                                          : "C: ")
                << wrong << "\n"
                << print(code) << "# by itself, in " << workshop.path("failed.cpp") << ": " << alone << "\n"
                << "# shrunk, in " << workshop.path("shrunk.cpp") << ": "
                << compare_alone(workshop, "shrunk", small, family, seed) << "\n"
                << print(small);
}

struct Totals {
  std::uint64_t programs = 0;
  std::uint64_t executions = 0;
  std::uint64_t with_bugs = 0;
  std::uint64_t spurious = 0;
  std::map<BugKind, int> kinds;
  std::map<Opcode, int> opcodes;

  void add(const RandomProgram& program) {
    ++programs;
    executions += program.findings.executions.size();
    with_bugs += program.findings.bugs.empty() ? 0 : 1;
    spurious += program.code.spurious ? 1 : 0;
    for (const auto& [bug, preemptions] : program.findings.bugs) ++kinds[bug.kind];
    for (const auto& thread : program.code.threads) {
      for (const Instruction& instruction : thread) ++opcodes[instruction.opcode];
    }
  }
};

// Compares the programs of some seeds, compiled together. False where one disagrees.
bool compare_batch(Family family, std::uint64_t first, std::uint64_t count, bool all, Totals& totals) {
  Workshop workshop;
  std::vector<RandomProgram> programs;
  std::vector<ToyCode> codes;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    programs.push_back(random_program(seed, family, kExecutionsMax));
    codes.push_back(programs.back().code);
    totals.add(programs.back());
    if (family != Family::c) continue;
    RandomProgram more = with_spurious(programs.back(), kExecutionsMax);
    if (more.findings.gave_up ||
        more.findings.executions.size() == programs.back().findings.executions.size())
      continue;
    programs.push_back(std::move(more));
    codes.push_back(programs.back().code);
    totals.add(programs.back());
  }
  std::string wrong = workshop.compile("programs", translate(codes));
  if (!wrong.empty()) {
    workshop.keep();
    ADD_FAILURE() << workshop.path("programs.cpp") << ": " << wrong;
    return false;
  }
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::uint64_t seed = first + i;  // of the choice of searches
    std::vector<Search> searches = all ? all_searches(family) : some_searches(family, seed);
    wrong = compare(workshop, "programs", i, programs[i], searches, seed);
    if (wrong.empty()) continue;
    report(workshop, codes[i], family, seed, wrong);
    return false;
  }
  return true;
}

Totals compare_random_programs(Family family, std::uint64_t natively, std::uint64_t in_machine) {
  std::uint64_t seed = setting("THRUM_NATIVE_SEED", 1);
  bool all = std::getenv("THRUM_NATIVE_PROGRAMS") != nullptr;
  const std::uint64_t count = setting("THRUM_NATIVE_PROGRAMS", is_machine() ? in_machine : natively);
  Totals totals;
  for (std::uint64_t end = seed + count; seed < end; seed += kProgramsInOneBinary) {
    if (!compare_batch(family, seed, std::min(kProgramsInOneBinary, end - seed), all, totals)) break;
  }
  std::cout << totals.programs << " programs, " << totals.executions << " executions, " << totals.with_bugs
            << " programs with bugs, " << totals.spurious << " with spurious wake-ups\n";
  return totals;
}

TEST(Native, AgreesWithTheOracleOnFamilyA) {
  Totals totals = compare_random_programs(Family::a, 60, 30);
  // A comparison of programs that lack something would say less than it seems to.
  for (BugKind kind : {BugKind::assertion, BugKind::deadlock, BugKind::lock_misuse})
    EXPECT_GT(totals.kinds[kind], 0) << bug_kind_name(kind);
  for (int i = 0; i < kOpcodeCount; ++i) {
    auto opcode = static_cast<Opcode>(i);
    bool not_in_a = is_plain(opcode) || is_section(opcode) || is_for_terms(opcode) || opcode == Opcode::fence;
    EXPECT_EQ(totals.opcodes[opcode] > 0, !not_in_a) << "opcode " << i;
  }
}

// In what order threads do their stretches without scheduling points shows in plain data.
TEST(Native, AgreesWithTheOracleOnFamilyB) {
  Totals totals = compare_random_programs(Family::b, 20, 10);
  EXPECT_GT(totals.opcodes[Opcode::read], 0);
  EXPECT_GT(totals.opcodes[Opcode::write], 0);
}

// Two threads that access few variables in every way with little to order them, and then assertions that fail
// for each value which a register may have: the bugs of the program say what can be read.
ToyCode racing_program(std::uint64_t seed) {
  Random random(seed);
  auto below = [&](std::uint64_t limit) { return static_cast<std::uint8_t>(random.below(limit)); };
  auto operand = [&] {
    return below(2) == 0 ? static_cast<std::uint8_t>(kRegisterOperand + below(2))
                         : static_cast<std::uint8_t>(1 + below(3));
  };
  ToyCode code;
  code.threads.push_back({{Opcode::create, {1}}, {Opcode::create, {2}}});
  for (int thread = 0; thread < 2; ++thread) {
    std::vector<Instruction>& list = code.threads.emplace_back();
    for (std::size_t length = 3 + random.below(2); list.size() < length;) {
      switch (below(10)) {
        case 0: list.push_back({Opcode::load, {below(2), below(2)}}); break;
        case 1: list.push_back({Opcode::add, {below(2), below(2), 1}}); break;
        case 2: list.push_back({Opcode::peek, {below(2), below(2)}}); break;
        case 3: list.push_back({Opcode::poke, {below(2), operand()}}); break;
        case 4: list.push_back({Opcode::read_two, {0, below(2)}}); break;
        case 5: list.push_back({Opcode::write_two, {0, operand()}}); break;
        case 6:
        case 7: list.push_back({Opcode::write, {below(2), operand()}}); break;
        default: list.push_back({Opcode::read, {below(2), below(2)}}); break;
      }
    }
  }
  for (std::uint8_t reg = 0; reg < 2; ++reg) {
    for (std::uint8_t value = 1; value < 5; ++value)
      code.threads[2].push_back({Opcode::unequal, {reg, value}});
  }
  return code;
}

// Whatever races do becomes visible, and so all that the program can do is found.
TEST(Native, ExploresRacesAsTheOracleDoes) {
  std::uint64_t first = setting("THRUM_NATIVE_SEED", 1);
  std::uint64_t count = setting("THRUM_NATIVE_PROGRAMS", 60);
  OracleSettings settings;
  settings.plain_is_visible = true;
  settings.executions_max = kExecutionsMax;
  std::uint64_t compared = 0;
  std::uint64_t racy = 0;
  std::uint64_t only_by_race = 0;  // programs with a bug that shows between plain accesses only
  for (std::uint64_t batch = first; batch < first + count; batch += kProgramsInOneBinary) {
    Workshop workshop;
    std::vector<ToyCode> codes;
    std::uint64_t end = std::min(batch + kProgramsInOneBinary, first + count);
    for (std::uint64_t seed = batch; seed < end; ++seed)
      codes.push_back(seed % 2 == 0 ? random_program(seed, Family::b, kExecutionsMax).code
                                    : racing_program(seed));
    ASSERT_EQ(workshop.compile("programs", translate(codes)), "");
    for (std::size_t i = 0; i < codes.size(); ++i) {
      Findings finest = enumerate(codes[i], settings);
      Findings coarse = enumerate(codes[i]);
      // A bug that needs no race may stop every execution before one.
      if (finest.gave_up || (coarse.stopped && !coarse.racy)) continue;
      json result = check(workshop, "programs", i, {"--races", "explore", "--bound", "none"});
      EXPECT_EQ(compare_explored(result, finest), "") << "seed " << batch + i << "\n" << print(codes[i]);
      ++compared;
      racy += finest.racy ? 1 : 0;
      if (finest.bugs.size() > coarse.bugs.size()) ++only_by_race;
    }
  }
  std::cout << compared << " programs, " << racy << " racy, " << only_by_race << " with bugs by races\n";
  EXPECT_GT(racy, compared / 4);
  EXPECT_GT(only_by_race, compared / 20);
}

// Waits on condition variables, without and with spurious wake-ups.
TEST(Native, AgreesWithTheOracleOnFamilyC) {
  Totals totals = compare_random_programs(Family::c, 18, 8);
  EXPECT_GT(totals.spurious, totals.programs / 4);
}

// Atomic sections.
TEST(Native, AgreesWithTheOracleOnFamilyE) {
  Totals totals = compare_random_programs(Family::e, 12, 6);
  EXPECT_GT(totals.opcodes[Opcode::move], 0);
}

// Each shows a rule that random programs seldom come to, or failed once.
TEST(Native, AgreesWithTheOracleOnToys) {
  fs::path folder = fs::path(THRUM_SOURCE_DIR) / "tests/native/toys";
  Workshop workshop;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    std::optional<ToyCode> code = parse(text.str());
    ASSERT_TRUE(code) << entry.path() << " is no toy program";
    Findings findings = enumerate(*code);
    EXPECT_GT(findings.executions.size(), 1u) << entry.path();
    ASSERT_EQ(workshop.compile("toy", translate({*code})), "");
    EXPECT_EQ(compare(workshop, "toy", 0, {*code, findings}, all_searches(Family::a), 1), "") << entry.path();
  }
}

}  // namespace
}  // namespace thrum
