// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that poll, as the native runtime searches them, against all states of the same programs: final
// states, failed assertions, deadlocks and livelocks.
//
//   THRUM_POLLING_PROGRAMS   so many random programs (by default fewer)
//   THRUM_POLLING_SEED       seed of the first (1)
//
// What must hold of a search: all that it reports is so; and where it says "every schedule", all that is so
// is reported. A search that does not end within its executions claims nothing, and is counted.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <stdexcept>

#include "native/polling_states.hpp"
#include "native/workshop.hpp"
#include "oracle/setting.hpp"

namespace thrum {
namespace {

using nlohmann::json;

constexpr std::size_t kStatesMax = 20'000;
constexpr std::size_t kEndsMax = 40;
constexpr std::size_t kProgramsInOneBinary = 50;

struct Totals {
  std::map<std::string, std::uint64_t> ended;  // by strategy
  std::map<std::string, std::uint64_t> all;
  std::map<std::string, std::uint64_t> cuts;  // searches, by strategy and what cut executions
  std::uint64_t stuck = 0;
  std::uint64_t deadlocks = 0;
};

// The first disagreement, or an empty text.
std::string compare(const json& test, const PollingFindings& findings, bool& ended) {
  std::set<std::string> ends;
  std::set<std::string> checks;
  bool deadlock = false;
  bool livelock = false;
  bool misuse = false;
  for (const json& bug : test.at("bugs")) {
    const std::string kind = bug.at("kind");
    const std::string message = bug.at("message");
    if (kind == "deadlock") {
      deadlock = true;
    } else if (kind == "livelock") {
      livelock = true;
    } else if (kind == "lock-misuse") {
      misuse = true;
    } else if (const std::size_t at = message.find("\"end ");
               kind == "assertion" && at != std::string::npos) {
      ends.insert(message.substr(at + 1, message.find('"', at + 1) - at - 1));
    } else if (const std::size_t check = message.find("\"check ");
               kind == "assertion" && check != std::string::npos) {
      checks.insert(message.substr(check + 1, message.find('"', check + 1) - check - 1));
    } else {
      return "a bug that is none: " + kind + ": " + message;
    }
  }
  std::set<std::string> expected;
  for (std::size_t i = 0; i < findings.ends.size(); ++i) expected.insert("end " + std::to_string(i));
  for (const std::string& end : ends)
    if (!expected.contains(end)) return "a final state that is none: " + end;
  for (const std::string& check : checks)
    if (!findings.checks.contains(check)) return "it cannot fail: " + check;
  if (deadlock && !findings.deadlock) return "a deadlock that is none";
  if (livelock && !findings.endless) return "a livelock that is none";
  if (misuse && !findings.misuse) return "a misuse that is none";
  const std::string covered = test.at("guarantee").at("text");
  ended = covered.starts_with("every schedule") && covered.find(" with ") == std::string::npos;
  if (!ended) return "";
  for (const std::string& end : expected)
    if (!ends.contains(end)) return "every schedule, but not this final state: " + end;
  for (const std::string& check : findings.checks)
    if (!checks.contains(check)) return "every schedule, but it does not fail: " + check;
  if (findings.deadlock != deadlock) return "every schedule, but no deadlock";
  if (findings.stuck && !livelock) return "every schedule, but no livelock";
  if (findings.misuse != misuse) return "every schedule, but no misuse";
  return "";
}

TEST(Polling, IsSearchedAsAllStatesSay) {
  const std::uint64_t first = setting("THRUM_POLLING_SEED", 1);
  const std::uint64_t count = setting("THRUM_POLLING_PROGRAMS", 50);
  const std::vector<std::vector<std::string>> searches = {{"--strategy", "dpor", "--bound", "none"},
                                                          {"--strategy", "icb"}};
  Totals totals;
  std::uint64_t seed = first;
  for (std::uint64_t compared = 0; compared < count && !testing::Test::HasFailure();) {
    std::vector<PollingProgram> programs;
    std::vector<PollingFindings> findings;
    std::vector<std::vector<PollingEnd>> ends;
    std::vector<std::uint64_t> seeds;
    for (; programs.size() < kProgramsInOneBinary && compared + programs.size() < count; ++seed) {
      PollingProgram program = random_polling_program(seed);
      std::optional<PollingFindings> found = all_states(program, kStatesMax);
      if (!found || found->ends.size() > kEndsMax) continue;
      seeds.push_back(seed);
      ends.push_back(found->ends);
      findings.push_back(*found);
      programs.push_back(std::move(program));
    }
    Workshop workshop;
    const std::string problem = workshop.compile("polling", translate(programs, ends));
    ASSERT_EQ(problem, "");
    for (std::size_t i = 0; i < programs.size(); ++i) {
      totals.stuck += findings[i].stuck ? 1 : 0;
      totals.deadlocks += findings[i].deadlock ? 1 : 0;
      for (std::vector<std::string> options : searches) {
        const std::string strategy = options[1];
        options.insert(options.end(), {"--executions", "2000", "--time", "2", "--no-leads-to"});
        bool ended = false;
        std::string wrong;
        try {
          const json test = workshop.check("polling", i, options).at("tests").at(0);
          wrong = compare(test, findings[i], ended);
          for (const json& cut : test.at("guarantee").at("cut"))
            ++totals.cuts[strategy + ", cut by " + cut.at("kind").get<std::string>()];
        } catch (const std::exception& error) {
          wrong = error.what();
        }
        ++totals.all[strategy];
        totals.ended[strategy] += ended ? 1 : 0;
        if (wrong.empty()) continue;
        workshop.keep();
        ADD_FAILURE() << "seed " << seeds[i] << ", " << strategy << ": " << wrong << "\n"
                      << workshop.path("polling") << " -- " << i << "\n"
                      << print(programs[i]);
      }
    }
    compared += programs.size();
  }
  std::cout << totals.stuck << " stuck, " << totals.deadlocks << " with deadlocks\n";
  for (const auto& [strategy, all] : totals.all)
    std::cout << strategy << ": " << totals.ended[strategy] << " of " << all << " searches ended\n";
  for (const auto& [what, times] : totals.cuts) std::cout << what << ": " << times << " searches\n";
  EXPECT_GT(totals.stuck, 0u);
  // Else little was compared.
  EXPECT_GT(totals.ended["dpor"], totals.all["dpor"] / 3);
  if (count > 500) {
    EXPECT_GT(totals.deadlocks, 0u);
  }
}

}  // namespace
}  // namespace thrum
