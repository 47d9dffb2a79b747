// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --heap both: a search with each, and one result.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

const std::string kPrograms = std::string(THRUM_SOURCES) + "/tests/programs/";

class HeapModes : public EndToEnd {};

TEST_F(HeapModes, SumsOfBothAndTheWeakerGuarantee) {
  std::string program = build(kPrograms + "correct/heap/zeroed_and_aligned.cpp");
  json lifo = check({program, "--heap", "lifo"}, 0)["tests"][0];
  json fresh = check({program, "--heap", "fresh"}, 0)["tests"][0];
  json both = check({program, "--heap", "both"}, 0)["tests"][0];
  EXPECT_EQ(both["verdict"], "exhausted");
  EXPECT_EQ(both["complete"], true);
  EXPECT_EQ(both["guarantee"]["heap"], "both");
  EXPECT_EQ(both["guarantee"]["text"], "every schedule, with --heap lifo as with fresh");
  for (const char* field : {"executions", "steps"})
    EXPECT_EQ(both[field], lifo[field].get<int>() + fresh[field].get<int>()) << field;
  ASSERT_EQ(both["guarantee"]["heaps"].size(), 2);
  EXPECT_EQ(both["guarantee"]["heaps"][1]["heap"], "fresh");
  EXPECT_EQ(both["guarantee"]["heaps"][1]["executions"], fresh["executions"]);
}

// Each of the programs fails with one of the two only.
TEST_F(HeapModes, ABugNamesItsHeapAndIsReplayedWithIt) {
  for (const std::string heap : {"lifo", "fresh"}) {
    std::string program = build(kPrograms + "wrong/heap/" + heap + "_only.cpp");
    json test = check({program, "--heap", "both"}, 1)["tests"][0];
    ASSERT_EQ(test["bugs"].size(), 1) << heap;
    EXPECT_EQ(test["bugs"][0]["heap"], heap);
    EXPECT_EQ(test["guarantee"]["heaps"].size(), heap == "lifo" ? 1 : 2);  // the first bug ends the check
    EXPECT_EQ(test["complete"], false);
    ChildResult again = thrum({"replay", test["bugs"][0]["trace"]});
    EXPECT_EQ(again.exit_code, 1) << again.output;
    ChildResult told = thrum({"check", program, "--heap", "both"});
    EXPECT_NE(told.output.find("(--heap " + heap + ") assertion failed"), std::string::npos) << told.output;
  }
}

TEST_F(HeapModes, OneBugOfBothIsOne) {
  std::string program = build(example("abba_deadlock.cpp"));
  json one = check({program, "--keep-going", "--jobs", "1"}, 1)["tests"][0];
  json both = check({program, "--keep-going", "--jobs", "1", "--heap", "both"}, 1)["tests"][0];
  EXPECT_EQ(both["bugs"].size(), one["bugs"].size());
  EXPECT_EQ(both["executions"], 2 * one["executions"].get<int>());
  EXPECT_EQ(both["bugs"][0]["fingerprint"], one["bugs"][0]["fingerprint"]);
}

// The budget ends one of them: the other's guarantee does not cover that.
TEST_F(HeapModes, ABudgetIsToldForEach) {
  std::string program = build(example("refcount.cpp"));
  json test = check({program, "--heap", "both", "--executions", "1"}, 0)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_EQ(test["executions"], 2);
  EXPECT_EQ(test["complete"], false);
}

}  // namespace
