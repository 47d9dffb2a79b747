// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Catch2 binaries: each test, and each section and generated value in it, has its own verdict. The programs
// stand in catch2/ and catch_alone.cpp.
#include <filesystem>

#include "frameworks.hpp"

namespace {

using nlohmann::json;

class Catch2 : public Frameworks {};

TEST_F(Catch2, EachTestAndSectionHasItsVerdict) {
  json result = check({program("catch2")}, 1);
  EXPECT_EQ(result["verdict"], "bug");
  const std::map<std::string, int> bugs = {{"lazy value, wrong", 1},
                                           {"sections, one wrong / wrong", 1},
                                           {"generators, one wrong (2)", 1},
                                           {"a tag that does not hold", 0}};
  auto tests = by_name(result);
  EXPECT_EQ(tests.size(), 16U) << "12 tests, one in four sections, one for two values";
  for (const auto& [name, test] : tests) {
    auto bug = bugs.find(name);
    if (bug == bugs.end()) {
      EXPECT_EQ(test["verdict"], "exhausted") << name << ": " << test["reason"];
      EXPECT_TRUE(test["complete"]) << name;
      continue;
    }
    ASSERT_EQ(test["bugs"].size(), 1U) << name;
    EXPECT_EQ(test["bugs"][0]["kind"], "test-failure") << name;
    EXPECT_EQ(test["bugs"][0]["preemptions"], bug->second) << name;
    EXPECT_TRUE(test["bugs"][0]["locations"][0]["file"].get<std::string>().ends_with("stack_test.cpp"))
        << name;
  }
  for (const auto& [name, preemptions] : bugs) EXPECT_TRUE(tests.contains(name)) << name;
  EXPECT_EQ(tests["lazy value, wrong"]["bugs"][0]["message"],
            "CHECK( made.load() == 1 )\nwith expansion: 2 == 1\nmade 2 times");
}

// The sections before it run by one schedule: they multiply nothing.
TEST_F(Catch2, SectionsAreExploredOneByOne) {
  json result = check({program("catch2"), "--keep-going", "--strategy", "dfs", "--test", "sections*"}, 1);
  auto tests = by_name(result);
  EXPECT_EQ(tests["sections, one wrong / right"]["executions"], 2);
  EXPECT_EQ(tests["sections, one wrong / wrong"]["executions"], 6);
  EXPECT_EQ(tests["sections, one wrong / nested / first"]["executions"], 2);
  EXPECT_EQ(tests["sections, one wrong / nested / second"]["executions"], 1);
}

TEST_F(Catch2, ATraceOfASectionIsReplayed) {
  json result = check({program("catch2"), "--test", "generators*"}, 1);
  const std::string trace = test(result, "generators, one wrong (2)")["bugs"][0]["trace"];
  json file = json::parse(read(path(trace)), nullptr, false);
  ASSERT_FALSE(file.is_discarded());
  EXPECT_EQ(file["test"], "generators, one wrong");
  EXPECT_EQ(file["part"], 1);
  ChildResult replayed = thrum({"replay", trace});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.output << replayed.errors;
  EXPECT_NE(replayed.output.find("the same failure again, by the same operations"), std::string::npos);
}

TEST_F(Catch2, TestsAreListedByItsOwnSelection) {
  std::vector<std::string> all = lines(thrum({"check", "--list-tests", program("catch2")}).output);
  EXPECT_EQ(all.size(), 12U) << "the hidden one is not among them";
  EXPECT_EQ(lines(thrum({"check", "--list-tests", program("catch2"), "--", "[stack]"}).output).size(), 3U);
  json named = check({program("catch2"), "--test", all.back()}, 0);
  EXPECT_EQ(named["tests"].size(), 1U) << "a name with brackets and a star is a name first";
}

TEST_F(Catch2, EndsOfOtherKinds) {
  json result = check({program("catch_alone")}, 1);
  auto tests = by_name(result);
  EXPECT_EQ(tests.size(), 5U) << result["tests"].dump(1);
  EXPECT_EQ(tests["throws / in the test"]["bugs"][0]["kind"], "uncaught-exception");
  EXPECT_EQ(tests["throws / in an assertion"]["bugs"][0]["kind"], "test-failure");
  EXPECT_EQ(tests["deadlocks / in this section"]["bugs"][0]["kind"], "deadlock");
  EXPECT_EQ(tests["deadlocks / not in this one"]["verdict"], "exhausted");
  EXPECT_EQ(tests["crashes in a section before another / crash"]["bugs"][0]["kind"], "crash");
  EXPECT_FALSE(tests.contains("crashes in a section before another / beyond")) << "it cannot be reached";
}

// Sections on the machine: the same verdicts, executions and bugs, and traces that either engine replays.
TEST_F(Catch2, TheMachineRunsSections) {
  const auto prefix = std::filesystem::path(THRUM_PROGRAM).parent_path().parent_path();
  const std::vector<std::string> environment = {"XDG_CACHE_HOME=" + (prefix / "tests/vm-library").string()};
  if (run({THRUM_PROGRAM, "vm-library"}, path("."), environment).exit_code != 0)
    GTEST_SKIP() << "the sources of GCC are not installed, or Thrum was built without LLVM 19";
  const auto check_on = [&](const std::string& engine) {
    const ChildResult result = run({THRUM_PROGRAM, "check", "--engine", engine, "--out", engine, "--json",
                                    "result.json", "--strategy", "dfs", program("catch_alone")},
                                   path("."), environment);
    EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
    return json::parse(read(path("result.json")));
  };
  const json native = check_on("native");
  const json machine = check_on("vm");
  ASSERT_EQ(machine["tests"].size(), native["tests"].size()) << machine["tests"].dump(1);
  for (std::size_t i = 0; i < native["tests"].size(); ++i) {
    const json& there = native["tests"][i];
    const json& here = machine["tests"][i];
    for (const char* what : {"name", "verdict", "executions", "reason"}) EXPECT_EQ(here[what], there[what]);
    ASSERT_EQ(here["bugs"].size(), there["bugs"].size()) << here["name"];
    for (std::size_t b = 0; b < there["bugs"].size(); ++b) {
      for (const char* what : {"kind", "message", "preemptions"})
        EXPECT_EQ(here["bugs"][b][what], there["bugs"][b][what]) << here["name"];
    }
  }
  for (const char* found_by : {"vm", "native"}) {
    const json& result = found_by == std::string("vm") ? machine : native;
    const std::string trace = test(result, "deadlocks / in this section")["bugs"][0]["trace"];
    for (const char* engine : {"vm", "native"}) {
      const ChildResult again =
          run({THRUM_PROGRAM, "replay", "--engine", engine, trace}, path("."), environment);
      EXPECT_NE(again.output.find("the same failure again, by the same operations"), std::string::npos)
          << found_by << " on " << engine << ": " << again.output << again.errors;
    }
  }
}

TEST_F(Catch2, PlainRunIsCatch2s) {
  ChildResult result = run({program("catch2"), "~*wrong", "~a tag*", "~hidden"}, path(""));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  ChildResult crash = run({program("catch_alone"), "crashes*", "-c", "crash"}, path(""));
  EXPECT_NE(crash.output.find("due to a fatal error condition"), std::string::npos)
      << "its own handlers of signals: " << crash.output;
}

}  // namespace
