// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that wait and retry in loops, as the native runtime searches them, against all states of the same
// toy programs: final states, failed assertions and livelocks. They are compiled without optimisation, where
// each temporary is on the stack, and with it, where they are in registers.
//
//   THRUM_LOOPS_PROGRAMS   so many random programs (by default fewer)
//   THRUM_VM_LOOPS_PROGRAMS   the same where the programs run on the machine
//   THRUM_LOOPS_SEED       seed of the first (1)
//
// Threads that wait until a value changes (icb), and not until it is written (dfs), must find the same with
// the same number of preemptions.
//
// What must hold of a search: all that it reports is so; and where it says "every schedule", all that is so
// is reported. A search that does not end within its executions claims nothing, and is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>

#include "native/polling_compare.hpp"
#include "native/waiting_source.hpp"
#include "native/waiting_states.hpp"
#include "native/workshop.hpp"
#include "oracle/random_waiting.hpp"
#include "oracle/setting.hpp"
#include "oracle/waiting_machine.hpp"

namespace thrum {
namespace {

using nlohmann::json;

constexpr std::size_t kLoopStatesMax = 20'000;
constexpr std::size_t kLoopEndsMax = 40;
constexpr std::size_t kLoopsInOneBinary = 50;
constexpr std::uint64_t kOneOf = 5;  // programs, for searches that are no reductions

std::uint64_t programs_wanted(std::uint64_t natively, std::uint64_t in_machine) {
  return is_machine() ? setting("THRUM_VM_LOOPS_PROGRAMS", in_machine)
                      : setting("THRUM_LOOPS_PROGRAMS", natively);
}

struct LoopSearch {
  std::vector<std::string> options;
  bool takes_all = true;

  std::string name() const {
    std::string text;
    for (const std::string& option : options) text += (text.empty() ? "" : " ") + option;
    return text;
  }
};

std::vector<LoopSearch> loop_searches() {
  std::vector<LoopSearch> searches;
  for (const char* rounds : {"block", "await", "merge"})
    searches.push_back({{"--strategy", "dpor", "--bound", "none", "--waiting", rounds}});
  searches.push_back({{"--strategy", "best-first-dpor", "--priority", "rand", "--waiting", "await"}});
  searches.push_back({{"--strategy", "best-first-dpor", "--waiting", "merge"}});
  for (const char* strategy : {"dpor-source", "rf", "unfolding", "icb", "dfs", "random"})
    searches.push_back({{"--strategy", strategy}, false});
  return searches;
}

struct LoopProgram {
  std::uint64_t seed = 0;
  WaitingIdioms idioms;
  WaitingSource source;
  PollingFindings findings;
};

std::optional<LoopProgram> loop_program(std::uint64_t seed, const WaitingIdioms& idioms) {
  LoopProgram program{seed, idioms, {assemble(idioms, "seed " + std::to_string(seed)), {}, {}}, {}};
  const WaitingCode& code = program.source.code;
  std::optional<PollingFindings> found = waiting_findings(code, kLoopStatesMax);
  if (!found || found->ends.size() > kLoopEndsMax) return std::nullopt;
  for (std::size_t i = 0; i < code.threads.size(); ++i)
    program.source.styles.push_back(WaitingStyle::random(seed, i));
  program.source.ends = found->ends;
  program.findings = std::move(*found);
  return program;
}

std::string print(const std::vector<WaitingStyle>& styles) {
  std::string text;
  for (std::size_t i = 0; i < styles.size(); ++i) {
    if (styles[i].keeps_in_memory) text += "thread " + std::to_string(i) + " keeps registers in memory\n";
    if (styles[i].yields) text += "thread " + std::to_string(i) + " yields\n";
  }
  return text;
}

struct LoopTotals {
  std::uint64_t all = 0;
  std::uint64_t ended = 0;
  std::uint64_t executions = 0;  // of those that ended
};

// The first disagreement, or an empty text.
std::string search_loop(const Workshop& workshop, const std::string& binary, std::size_t number,
                        const PollingFindings& findings, const LoopSearch& search, LoopTotals& totals) {
  std::vector<std::string> options = search.options;
  options.insert(options.end(), {"--executions", "1000", "--time", "1", "--jobs", "1", "--no-leads-to"});
  try {
    const json test = workshop.check(binary, number, options).at("tests").at(0);
    bool ended = false;
    std::string wrong = compare(test, findings, ended);
    ++totals.all;
    if (ended) ++totals.ended;
    if (ended) totals.executions += test.at("executions").get<std::uint64_t>();
    return wrong;
  } catch (const std::exception& error) {
    return error.what();
  }
}

// The smallest program with some disagreement, for people.
std::string shrunk(const LoopProgram& program, const std::string& flag, const LoopSearch& search) {
  Workshop workshop;
  std::string text;
  const auto fails = [&](const WaitingIdioms& idioms) {
    const std::optional<LoopProgram> smaller = loop_program(program.seed, idioms);
    if (!smaller || !workshop.compile("small", translate({smaller->source}), flag).empty()) return false;
    LoopTotals ignored;
    const std::string wrong = search_loop(workshop, "small", 0, smaller->findings, search, ignored);
    if (wrong.empty()) return false;
    text = "shrunk: " + wrong + "\n" + print(smaller->source.code) + print(smaller->source.styles);
    return true;
  };
  shrink_waiting(program.idioms, fails);
  return text;
}

// What all states say has been derived twice.
void expect_same_truth(const LoopProgram& program) {
  const WaitingTruth truth = all_states(program.source.code, kLoopStatesMax);
  EXPECT_EQ(program.findings.ends.size(), truth.finals.size());
  EXPECT_EQ(program.findings.checks.size(), truth.failed.size());
  EXPECT_TRUE(truth.hopeless.empty() || program.findings.stuck) << print(program.source.code);
}

class WaitingLoops : public testing::Test {
 protected:
  // So many programs, from that seed on, which it moves.
  static std::vector<LoopProgram> take(std::uint64_t& seed, std::size_t count) {
    std::vector<LoopProgram> programs;
    for (; programs.size() < count; ++seed) {
      std::optional<LoopProgram> program = loop_program(seed, random_waiting(seed, WaitingFamily::kept));
      if (program) programs.push_back(std::move(*program));
    }
    return programs;
  }

  void compare_all(const std::vector<LoopProgram>& programs, const std::string& flag) {
    Workshop workshop;
    std::vector<WaitingSource> sources;
    for (const LoopProgram& program : programs) sources.push_back(program.source);
    ASSERT_EQ(workshop.compile("loops", translate(sources), flag), "");
    for (std::size_t i = 0; i < programs.size(); ++i) {
      for (const LoopSearch& search : searches_) {
        if (!search.takes_all && programs[i].seed % kOneOf != 0) continue;
        LoopTotals& totals = totals_[search.name() + " " + flag];
        const std::string wrong = search_loop(workshop, "loops", i, programs[i].findings, search, totals);
        if (wrong.empty()) continue;
        ADD_FAILURE() << "seed " << programs[i].seed << ", " << flag << " " << search.name() << ": " << wrong
                      << "\n"
                      << print(programs[i].source.code) << print(programs[i].source.styles);
        std::cout << shrunk(programs[i], flag, search) << std::flush;
      }
    }
  }

  const std::vector<LoopSearch> searches_ = loop_searches();
  std::map<std::string, LoopTotals> totals_;  // by search and flag
};

TEST_F(WaitingLoops, AreSearchedAsAllStatesSay) {
  std::uint64_t seed = setting("THRUM_LOOPS_SEED", 1);
  const std::uint64_t count = programs_wanted(25, 4);
  std::uint64_t stuck = 0;
  std::uint64_t failing = 0;
  for (std::uint64_t compared = 0; compared < count && !HasFailure();) {
    const std::vector<LoopProgram> programs =
        take(seed, std::min<std::uint64_t>(kLoopsInOneBinary, count - compared));
    for (const LoopProgram& program : programs) {
      expect_same_truth(program);
      stuck += program.findings.stuck ? 1 : 0;
      failing += program.findings.checks.empty() ? 0 : 1;
    }
    for (const char* flag : {"-O0", "-O2"}) compare_all(programs, flag);
    compared += programs.size();
  }
  std::cout << stuck << " stuck, " << failing << " with assertions that fail\n";
  for (const auto& [what, totals] : totals_) {
    std::cout << what << ": " << totals.ended << " of " << totals.all << " searches ended, "
              << totals.executions << " executions\n";
    // Else little was compared.
    if (what.find("--waiting") != std::string::npos) {
      EXPECT_GT(totals.ended, totals.all / 2) << what;
    }
  }
  if (count < 25) return;
  EXPECT_GT(stuck, 0u);
  EXPECT_GT(failing, 0u);
}

// What a search with so many preemptions found; nothing: it did not end.
std::optional<std::set<std::string>> found_with(const Workshop& workshop, std::size_t number,
                                                const char* strategy, int preemptions) {
  const std::string bound = "preemptions=" + std::to_string(preemptions);
  const json test = workshop
                        .check("bounded", number,
                               {"--strategy", strategy, "--bound", bound, "--executions", "20000", "--time",
                                "5", "--jobs", "1", "--no-leads-to"})
                        .at("tests")
                        .at(0);
  if (test.at("guarantee").at("bounds").at(0).at("completed") != preemptions) return std::nullopt;
  std::set<std::string> found;
  for (const json& bug : test.at("bugs")) {
    const std::string kind = bug.at("kind");
    found.insert(kind == "livelock" ? kind : bug.at("message").get<std::string>());
  }
  return found;
}

TEST_F(WaitingLoops, NeedNoMorePreemptionsByValue) {
  constexpr int kPreemptionsMax = 2;
  std::uint64_t seed = setting("THRUM_LOOPS_SEED", 1);
  const std::uint64_t count = programs_wanted(8, 4);
  std::uint64_t compared = 0;
  for (std::uint64_t done = 0; done < count && !HasFailure();) {
    const std::vector<LoopProgram> programs =
        take(seed, std::min<std::uint64_t>(kLoopsInOneBinary, count - done));
    Workshop workshop;
    std::vector<WaitingSource> sources;
    for (const LoopProgram& program : programs) sources.push_back(program.source);
    ASSERT_EQ(workshop.compile("bounded", translate(sources), "-O2"), "");
    for (std::size_t i = 0; i < programs.size(); ++i) {
      for (int preemptions = 0; preemptions <= kPreemptionsMax; ++preemptions) {
        const auto by_value = found_with(workshop, i, "icb", preemptions);
        const auto by_writes = found_with(workshop, i, "dfs", preemptions);
        if (!by_value || !by_writes) continue;
        ++compared;
        EXPECT_EQ(*by_value, *by_writes)
            << "seed " << programs[i].seed << ", " << preemptions << " preemptions\n"
            << print(programs[i].source.code) << print(programs[i].source.styles);
      }
    }
    done += programs.size();
  }
  EXPECT_GT(compared, count);
}

}  // namespace
}  // namespace thrum
