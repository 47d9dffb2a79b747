// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that poll, as the native runtime searches them, against all states of the same programs: final
// states, failed assertions, deadlocks and livelocks.
//
//   THRUM_POLLING_PROGRAMS   so many random programs (by default fewer)
//   THRUM_VM_POLLING_PROGRAMS   the same where the programs run on the machine
//   THRUM_POLLING_SEED       seed of the first (1)
//
// What must hold of a search: all that it reports is so; and where it says "every schedule", all that is so
// is reported. A search that does not end within its executions claims nothing, and is counted.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <stdexcept>

#include "native/polling_compare.hpp"
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

TEST(Polling, IsSearchedAsAllStatesSay) {
  const std::uint64_t first = setting("THRUM_POLLING_SEED", 1);
  const std::uint64_t count =
      is_machine() ? setting("THRUM_VM_POLLING_PROGRAMS", 5) : setting("THRUM_POLLING_PROGRAMS", 30);
  const std::vector<std::vector<std::string>> searches = {
      {"--strategy", "dpor", "--bound", "none"}, {"--strategy", "best-first-dpor"}, {"--strategy", "icb"}};
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
