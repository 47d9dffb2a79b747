// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs in rounds of waiting loops that come to nothing: no search may leave them out unseen.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

struct FailedRoundsSearch {
  const char* name;
  std::vector<std::string> options;
};

class FailedRounds : public EndToEnd, public testing::WithParamInterface<FailedRoundsSearch> {};

TEST_P(FailedRounds, AreChecked) {
  const std::string program = build(THRUM_SOURCES "/tests/programs/wrong/polling/failed_rounds.cpp");
  const std::pair<const char*, const char*> kRows[] = {{"data_race", "data-race"},
                                                       {"assertion", "assertion"},
                                                       {"deadlock", "deadlock"},
                                                       {"freed_node", "data-race"}};
  for (const auto& [name, kind] : kRows) {
    std::vector<std::string> arguments = GetParam().options;
    arguments.insert(arguments.begin(), program);
    arguments.insert(arguments.end(), {"--executions", "1000", "--time", "0", "--jobs", "1", "--", name});
    const json test = check(arguments, 1)["tests"][0];
    ASSERT_EQ(test["bugs"].size(), 1) << name;
    EXPECT_EQ(test["bugs"][0]["kind"], kind) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, FailedRounds,
    testing::Values(FailedRoundsSearch{"block", {"--strategy", "dpor", "--waiting", "block"}},
                    FailedRoundsSearch{"await", {"--strategy", "dpor", "--waiting", "await"}},
                    FailedRoundsSearch{"merge", {"--strategy", "dpor", "--waiting", "merge"}},
                    FailedRoundsSearch{"source", {"--strategy", "dpor-source"}},
                    FailedRoundsSearch{"best_first", {"--strategy", "best-first-dpor"}},
                    FailedRoundsSearch{"icb", {"--strategy", "icb"}},
                    FailedRoundsSearch{"random", {"--strategy", "random"}}),
    [](const auto& search) { return std::string(search.param.name); });

}  // namespace
