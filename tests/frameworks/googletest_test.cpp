// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GoogleTest binaries: each test has its own verdict. The programs stand in googletest/ and own_main.cpp.
#include <algorithm>
#include <filesystem>

#include "frameworks.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class GoogleTest : public Frameworks {};

TEST_F(GoogleTest, ThirtyTestsHaveEachTheirVerdict) {
  json result = check({program("googletest")}, 1);
  EXPECT_EQ(result["verdict"], "bug");
  EXPECT_EQ(result["tests"].size(), 30U);
  const std::map<std::string, std::string> expected = {{"CarelessAccount.TwoWithdrawals", "test-failure"},
                                                       {"Transfer.BothWays", "deadlock"},
                                                       {"Sizes/ChannelOf.LosesNone/2", "test-failure"}};
  int id = 0;
  for (const json& test : result["tests"]) {
    const std::string name = test["name"];
    if (auto bug = expected.find(name); bug != expected.end()) {
      EXPECT_EQ(test["verdict"], "bug") << name;
      ASSERT_EQ(test["bugs"].size(), 1U) << name;
      EXPECT_EQ(test["bugs"][0]["kind"], bug->second) << name;
      EXPECT_EQ(test["bugs"][0]["preemptions"], 1) << name;
      EXPECT_EQ(test["bugs"][0]["preemptions_minimal"], "proved") << name;
      EXPECT_EQ(test["bugs"][0]["id"], ++id) << "numbered through";
      EXPECT_TRUE(fs::exists(path("thrum-out/bug-" + std::to_string(id) + ".trace.json")));
    } else if (name == "Channel.Skipped" || name == "ChannelDeathTest.Aborts") {
      EXPECT_EQ(test["verdict"], "skipped") << name;
      EXPECT_FALSE(test["complete"]) << name;
    } else {
      EXPECT_EQ(test["verdict"], "exhausted") << name << ": " << test["reason"];
      EXPECT_TRUE(test["complete"]) << name;
    }
  }
  EXPECT_EQ(id, 3);
  EXPECT_EQ(test(result, "Channel.Skipped")["reason"], "needs a network");
  EXPECT_NE(test(result, "ChannelDeathTest.Aborts")["reason"].get<std::string>().find("death test"),
            std::string::npos);
  EXPECT_GT(test(result, "Mock.IsCalledByTwoThreads")["executions"], 100)
      << "the mock's own lock is a choice";
}

// Those that had come to their end are told, the others go on. By one worker, since several may run some
// executions more.
TEST_F(GoogleTest, ACheckpointHoldsEachTest) {
  json once = check({program("googletest"), "--time", "0", "--jobs", "1"}, 1);
  check({program("googletest"), "--checkpoint", "checkpoint", "--executions", "4", "--time", "0", "--jobs",
         "1"},
        1);
  check({"--resume", "checkpoint", "--executions", "9", "--time", "0", "--jobs", "1"}, 1);
  json rest = check({"--resume", "checkpoint", "--time", "0", "--jobs", "1"}, 1);
  ASSERT_EQ(rest["tests"].size(), once["tests"].size());
  for (std::size_t i = 0; i < once["tests"].size(); ++i) {
    const std::string name = once["tests"][i]["name"];
    for (const char* field : {"name", "verdict", "reason", "complete", "executions"})
      EXPECT_EQ(rest["tests"][i][field], once["tests"][i][field]) << name;
    // How often a death test looks at the process that it waits for is a matter of real time.
    if (name.find("DeathTest") == std::string::npos) {
      EXPECT_EQ(rest["tests"][i]["steps"], once["tests"][i]["steps"]) << name;
    }
    EXPECT_EQ(rest["tests"][i]["bugs"].size(), once["tests"][i]["bugs"].size());
  }
}

TEST_F(GoogleTest, AFailedExpectationIsShownAtItsPlace) {
  json result = check({program("googletest"), "--test", "Careless*.Two*"}, 1);
  ASSERT_EQ(result["tests"].size(), 1U);
  const json& bug = result["tests"][0]["bugs"][0];
  EXPECT_NE(bug["message"].get<std::string>().find("(account.balance()) >= (0), actual: -1 vs 0\noverdrawn"),
            std::string::npos)
      << bug["message"];
  const json& location = bug["locations"][0];
  EXPECT_TRUE(location["file"].get<std::string>().ends_with("/account_test.cpp")) << location;
  EXPECT_EQ(location["function"], "CarelessAccount_TwoWithdrawals_Test::TestBody");
  const std::string line = lines(read(location["file"]))[location["line"].get<std::size_t>() - 1];
  EXPECT_NE(line.find("overdrawn"), std::string::npos) << line;
}

TEST_F(GoogleTest, KeepGoingFindsEachBugOfATestOnce) {
  json result = check({program("googletest"), "--keep-going", "--jobs", "1", "--test", "Sizes*"}, 1);
  EXPECT_EQ(result["tests"].size(), 3U);
  json wrong = test(result, "Sizes/ChannelOf.LosesNone/2");
  EXPECT_EQ(wrong["bugs"].size(), 1U) << "one place, whatever the values";
  EXPECT_EQ(wrong["executions"], 12) << "all orders of one, two and one operations";
}

// The distribution's archives are not instrumented, and are named; the program's own files are not.
TEST_F(GoogleTest, TheFrameworksOwnFilesAreNamed) {
  json result = check({program("googletest"), "--test", "Sizes/ChannelOf.LosesNone/0"}, 0);
  std::string text;
  for (const json& assumption : result["tests"][0]["guarantee"]["assumptions"]) {
    if (assumption["kind"] == "uninstrumented-files") text = assumption["text"];
  }
  EXPECT_NE(text.find("gtest-all.cc"), std::string::npos) << text;
  EXPECT_EQ(text.find("_test.cpp"), std::string::npos) << text;
}

TEST_F(GoogleTest, TestsAreListedAndNotRun) {
  ChildResult listed = thrum({"check", "--list-tests", program("googletest")});
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  std::vector<std::string> names = lines(listed.output);
  EXPECT_EQ(names.size(), 30U);
  EXPECT_NE(std::find(names.begin(), names.end(), "ChannelOfType/1.PassesAValue"), names.end());
  EXPECT_EQ(listed.output.find("DISABLED"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("thrum-out")));
  ChildResult some = thrum({"check", "--list-tests", "--test", "Mock.*", program("googletest")});
  EXPECT_EQ(lines(some.output).size(), 2U);
}

TEST_F(GoogleTest, ItsOwnFilterAndShardsAreHonoured) {
  ChildResult listed =
      thrum({"check", "--list-tests", program("googletest"), "--", "--gtest_filter=Transfer.*:*Disabled*"});
  EXPECT_EQ(lines(listed.output).size(), 2U);
  json result = check({program("googletest"), "--", "--gtest_filter=Account.Adds*"}, 0);
  EXPECT_EQ(result["tests"].size(), 2U);
  std::size_t all = 0;
  for (const char* index : {"0", "1"}) {
    ChildResult shard =
        run({THRUM_PROGRAM, "check", "--json", "-", program("googletest"), "--", "--gtest_filter=Account.*"},
            path(""), {"GTEST_TOTAL_SHARDS=2", std::string("GTEST_SHARD_INDEX=") + index});
    EXPECT_EQ(shard.exit_code, 0) << shard.errors;
    json document = json::parse(shard.output, nullptr, false);
    ASSERT_FALSE(document.is_discarded());
    for (const json& one : document["tests"]) EXPECT_EQ(one["verdict"], "exhausted") << one["name"];
    all += document["tests"].size();
  }
  EXPECT_EQ(all, 5U);
}

TEST_F(GoogleTest, NoSuchTestIsWrongUsage) {
  for (const char* glob : {"Nothing.*", "main"}) {
    ChildResult result = thrum({"check", "--test", "Mock.*", "--test", glob, program("googletest")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(lines(result.errors).size(), 1U) << result.errors;
    EXPECT_NE(result.errors.find(glob), std::string::npos);
  }
  ChildResult none = thrum({"check", program("googletest"), "--", "--gtest_filter=Nothing"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(lines(none.errors).size(), 1U) << none.errors;
}

TEST_F(GoogleTest, ATraceIsReplayedInItsTest) {
  json result = check({program("googletest"), "--test", "Transfer.BothWays"}, 1);
  const std::string trace = result["tests"][0]["bugs"][0]["trace"];
  ChildResult replayed = thrum({"replay", trace});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.output << replayed.errors;
  EXPECT_NE(replayed.output.find("the same failure again, by the same operations"), std::string::npos);
  EXPECT_NE(replayed.output.find("[ RUN      ] Transfer.BothWays"), std::string::npos);
}

TEST_F(GoogleTest, ReportForPeople) {
  ChildResult result = thrum({"check", program("googletest"), "--test", "Channel*", "--test", "Sizes*"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("PASS  Channel.KeepsTheOrder: every schedule; "), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("SKIP  Channel.Skipped: needs a network.\n"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("\nBug 1, found by icb in execution "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("12 tests: 9 passed, 1 with bugs (1 bug), 2 skipped.\n"), std::string::npos)
      << result.output;
}

// By itself the binary is what it is without Thrum.
TEST_F(GoogleTest, PlainRunIsGoogleTests) {
  ChildResult result =
      run({program("googletest"), "--gtest_filter=-Transfer.BothWays:Careless*:Sizes*"}, path(""));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("[  PASSED  ] 22 tests."), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("[       OK ] ChannelDeathTest.Aborts"), std::string::npos) << result.output;
}

// Its own main starts a thread, passes no arguments on and sets a filter.
TEST_F(GoogleTest, AMainOfItsOwn) {
  json result = check({program("own_main")}, 1);
  auto tests = by_name(result);
  EXPECT_EQ(tests.size(), 7U) << "those that main's own filter leaves";
  EXPECT_EQ(tests["Ticks.One"]["verdict"], "exhausted");
  EXPECT_EQ(tests["Ticks.One"]["threads_max"], 3) << "main's thread is part of the test's executions";
  EXPECT_EQ(tests["Ticks.FailsLate"]["bugs"][0]["kind"], "test-failure");
  EXPECT_EQ(tests["Ticks.Throws"]["bugs"][0]["kind"], "uncaught-exception");
  EXPECT_EQ(tests["Ticks.Throws"]["bugs"][0]["locations"][0]["function"], "Ticks_Throws_Test::TestBody");
  EXPECT_EQ(tests["Ticks.Exits"]["bugs"][0]["kind"], "nonzero-exit");
  EXPECT_EQ(tests["Ticks.IsKilled"]["bugs"][0]["kind"], "crash") << "and the others go on";
  EXPECT_EQ(tests["Ticks.Forks"]["verdict"], "inconclusive") << "no death test";
  EXPECT_NE(tests["Ticks.Forks"]["reason"].get<std::string>().find("calls fork"), std::string::npos);
  EXPECT_EQ(tests["Ticks.SkippedInSomeSchedules"]["verdict"], "exhausted");
}

TEST_F(GoogleTest, TimeIsSharedAmongTheTests) {
  ChildResult result = thrum({"check", "--json", "-", "--executions", "1", "--time-per-test", "5",
                              program("googletest"), "--test", "Mock.*"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(thrum({"check", "--time-per-test", "0", program("googletest")}).exit_code, 2);
}

TEST_F(GoogleTest, InterruptReportsWhatWasDone) {
  ChildResult result = run({"timeout", "--preserve-status", "-s", "INT", "3", THRUM_PROGRAM, "check",
                            "--time", "0", "--json", "result.json", program("googletest"), "--",
                            "--gtest_also_run_disabled_tests", "--gtest_filter=Endless.*"},
                           path(""));
  EXPECT_EQ(result.exit_code, 3) << result.output << result.errors;
  EXPECT_NE(result.output.find("3 tests: 1 passed, 1 inconclusive, 1 not begun (interrupted)."),
            std::string::npos)
      << result.output;
  json interrupted = json::parse(read(path("result.json")), nullptr, false);
  ASSERT_FALSE(interrupted.is_discarded());
  EXPECT_EQ(test(interrupted, "Endless.DISABLED_Second")["reason"], "it was interrupted");
  EXPECT_GT(test(interrupted, "Endless.DISABLED_Second")["executions"], 0);
  EXPECT_EQ(test(interrupted, "Endless.DISABLED_Third")["verdict"], "inconclusive");
  EXPECT_EQ(test(interrupted, "Endless.DISABLED_Third")["executions"], 0);
}

TEST_F(GoogleTest, APlainProgramIsOneTest) {
  ChildResult listed = thrum({"check", "--list-tests", example("bluetooth.cpp")});
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_EQ(listed.output, "main\n");
  EXPECT_EQ(check({example("bluetooth.cpp"), "--test", "m*"}, 1)["tests"][0]["name"], "main");
  ChildResult none = thrum({"check", "--test", "Other", example("bluetooth.cpp")});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.errors.find("'Other'"), std::string::npos) << none.errors;
}

}  // namespace
