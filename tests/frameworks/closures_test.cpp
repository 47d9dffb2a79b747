// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrum::check: tests as closures. The mains stand in closures.cpp, and are named by the program's argument.
#include <algorithm>
#include <filesystem>

#include "frameworks.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Closures : public Frameworks {
 protected:
  // The result of a check of that main. options: of thrum check.
  json check_main(const std::string& main, int exit_code, std::vector<std::string> options = {}) {
    options.insert(options.begin(), program("closures"));
    options.insert(options.end(), {"--", main});
    return check(options, exit_code);
  }

  void expect_refused(const std::string& main, const std::string& line,
                      const std::vector<std::string>& options = {}) {
    std::vector<std::string> command = {"check", program("closures")};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"--", main});
    const ChildResult result = thrum(command);
    EXPECT_EQ(result.exit_code, 2) << main << result.output;
    EXPECT_EQ(result.errors, "thrum: " + line + "\n");
    EXPECT_EQ(result.output, "") << main;
  }

  // The name of a test that has none in closures.cpp: the line that this text stands in.
  static std::string place_of(const std::string& text) {
    const std::vector<std::string> source =
        lines(read(std::string(THRUM_SOURCES) + "/tests/frameworks/closures.cpp"));
    const auto line = std::find_if(source.begin(), source.end(), [&](const std::string& one) {
      return one.find(text) != std::string::npos;
    });
    EXPECT_NE(line, source.end()) << text;
    return "closures.cpp:" + std::to_string(line - source.begin() + 1);
  }
};

TEST_F(Closures, EachCallIsATest) {
  const json result = check_main("several", 1);
  const std::string looped = place_of("for (int i");
  const std::vector<std::string> names = {"careful",        "careless",
                                          looped,           looped + " (2)",
                                          "no preemption",  place_of(".strategy = \"random\""),
                                          "without threads"};
  std::vector<std::string> found;
  for (const json& test : result["tests"]) found.push_back(test["name"]);
  EXPECT_EQ(found, names) << "in the order of main";
  for (const json& test : result["tests"]) {
    const bool is_wrong = test["name"] == "careless";
    if (test["name"] == names[5]) continue;
    EXPECT_EQ(test["verdict"], is_wrong ? "bug" : "exhausted") << test["name"];
    EXPECT_EQ(test["complete"], !is_wrong && test["name"] != "no preemption") << test["name"];
  }
  const json careless = test(result, "careless");
  ASSERT_EQ(careless["bugs"].size(), 1U);
  EXPECT_EQ(careless["bugs"][0]["kind"], "assertion");
  EXPECT_EQ(careless["bugs"][0]["preemptions"], 1);
  EXPECT_EQ(careless["bugs"][0]["locations"][0]["function"], "add_carelessly");
  EXPECT_EQ(test(result, "without threads")["executions"], 1);
}

TEST_F(Closures, OptionsInTheCodeHold) {
  const json result = check_main("several", 1);
  const json bounded = test(result, "no preemption");
  EXPECT_EQ(bounded["guarantee"]["bounds"][0]["limit"], 0) << bounded["guarantee"];
  const json random = test(result, place_of(".strategy = \"random\""));
  EXPECT_EQ(random["strategy"], "random");
  EXPECT_EQ(random["executions"], 5);
  EXPECT_EQ(test(result, "careful")["strategy"], "auto");
}

TEST_F(Closures, LimitsInTheCodeHold) {
  const json must_end = check_main("limited", 3, {"--test", "must end"})["tests"][0];
  EXPECT_EQ(must_end["executions"], 5);
  const json hangs = check_main("limited", 1, {"--test", "hangs"})["tests"][0];
  EXPECT_EQ(hangs["bugs"][0]["kind"], "hang");
  EXPECT_LT(hangs["bugs"][0]["seconds"], 9) << "the default is 10 s";
  const json memory = check_main("limited", 3, {"--test", "needs memory"})["tests"][0];
  EXPECT_EQ(memory["verdict"], "inconclusive");
  EXPECT_NE(memory["next"].get<std::string>().find("--program-memory 2M"), std::string::npos) << memory;
  check_main("limited", 0, {"--test", "needs memory", "--program-memory", "1G"});
  const json in_order = check_main("limited", 0, {"--test", "in order"})["tests"][0];
  EXPECT_EQ(in_order["strategy"], "best-first");
  EXPECT_EQ(in_order["verdict"], "exhausted");
  const json other = check_main("limited", 0, {"--test", "in order", "--strategy", "icb"})["tests"][0];
  EXPECT_EQ(other["strategy"], "icb") << "which has no priorities";
}

TEST_F(Closures, TheCommandLineWins) {
  const json bounded = check_main("several", 1, {"--test", "no preemption", "--bound", "preemptions=1"});
  EXPECT_EQ(bounded["tests"][0]["bugs"][0]["preemptions"], 1);
  const std::string name = place_of(".strategy = \"random\"");
  const json fewer = check_main("several", 0, {"--test", name, "--executions", "4"});
  EXPECT_EQ(fewer["tests"][0]["executions"], 4);
  EXPECT_EQ(fewer["tests"][0]["strategy"], "random") << "which the command line does not name";
  const json all = check_main("several", 0, {"--test", name, "--executions", "0", "--strategy", "dfs"});
  EXPECT_EQ(all["tests"][0]["verdict"], "exhausted");
  const json reduced = check_main("several", 1, {"--strategy", "dpor"});
  EXPECT_EQ(test(reduced, "no preemption")["verdict"], "bug") << "dpor knows no bound";
}

TEST_F(Closures, ACheckpointKnowsWhatTheCommandLineGave) {
  const std::string name = place_of(".strategy = \"random\"");
  const std::vector<std::string> saved = {"--checkpoint", "saved", "--jobs", "1"};
  std::vector<std::string> options = saved;
  options.insert(options.end(), {"--test", name, "--strategy", "dfs", "--executions", "1"});
  EXPECT_EQ(check_main("several", 0, options)["tests"][0]["executions"], 1);
  const json on = check({"--resume", "saved", "--jobs", "1", "--executions", "0"}, 0)["tests"][0];
  EXPECT_EQ(on["strategy"], "dfs") << "as the command line said then";
  EXPECT_EQ(on["verdict"], "exhausted");
  options = saved;
  options.insert(options.end(), {"--test", name, "--executions", "2"});
  EXPECT_EQ(check_main("several", 0, options)["tests"][0]["strategy"], "random");
  const json rest = check({"--resume", "saved", "--jobs", "1", "--executions", "7"}, 0)["tests"][0];
  EXPECT_EQ(rest["strategy"], "random") << "as the code says: nobody gave another";
  EXPECT_EQ(rest["executions"], 7);
}

TEST_F(Closures, TestsAreListedAndNotRun) {
  const ChildResult listed = thrum({"check", "--list-tests", program("closures"), "--", "correct"});
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_EQ(listed.output, "first\nsecond\n");
  const ChildResult behind =
      thrum({"check", "--list-tests", program("closures"), "--", "with_a_thread_before"});
  EXPECT_EQ(behind.output, "early\nlate\n") << behind.errors;
  const ChildResult none = thrum({"check", "--list-tests", program("closures"), "--", "without_a_test"});
  EXPECT_EQ(none.output, "main\n") << none.errors;
}

TEST_F(Closures, ATraceIsReplayedInItsTest) {
  const json result = check_main("several", 1, {"--test", "careless"});
  ASSERT_EQ(result["tests"].size(), 1U);
  const ChildResult replayed = thrum({"replay", result["tests"][0]["bugs"][0]["trace"]});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.output << replayed.errors;
  EXPECT_NE(replayed.output.find("the same failure again, by the same operations"), std::string::npos);
}

TEST_F(Closures, ATraceHoldsTheTestsOwnOptions) {
  const json result = check_main("leaking", 1);
  EXPECT_EQ(test(result, "leak")["bugs"][0]["kind"], "leak");
  EXPECT_EQ(test(result, "leak")["bugs"][0]["message"].get<std::string>().find("only"), std::string::npos);
  const ChildResult replayed = thrum({"replay", test(result, "leak")["bugs"][0]["trace"]});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.output << replayed.errors;
  EXPECT_EQ(test(result, "nothing is asked")["verdict"], "exhausted")
      << "a block that every schedule loses is no bug unless it is asked for";
}

TEST_F(Closures, AnExceptionThatLeavesTheBodyIsABug) {
  const json uncaught = test(check_main("throwing", 1), "throws")["bugs"][0];
  EXPECT_EQ(uncaught["kind"], "uncaught-exception");
  EXPECT_NE(uncaught["message"].get<std::string>().find("runtime_error"), std::string::npos) << uncaught;
  EXPECT_EQ(uncaught["locations"][0]["function"], "throw_one") << "where it was thrown";
  const json result = check_main("throwing_to_main", 1);
  const json caught = test(result, "throws")["bugs"][0];
  EXPECT_EQ(caught["kind"], "uncaught-exception");
  EXPECT_EQ(caught["message"], "an exception leaves the test");
  EXPECT_EQ(caught["locations"][0]["function"], "throwing_to_main");
  EXPECT_EQ(test(result, "catches")["verdict"], "exhausted");
}

TEST_F(Closures, AThreadOfMainIsPartOfEachTest) {
  const json result = check_main("with_a_thread_before", 1);
  EXPECT_EQ(test(result, "early")["verdict"], "exhausted");
  EXPECT_EQ(test(result, "early")["threads_max"], 2);
  EXPECT_EQ(test(result, "late")["bugs"][0]["kind"], "assertion");
}

TEST_F(Closures, WrongCallsAreRefused) {
  const std::string cannot = "begins within the test 'outer'; a test cannot hold another one";
  expect_refused("nested", "the test 'inner' " + cannot);
  expect_refused("nested_in_a_thread", "the test 'inner' " + cannot);
  expect_refused("in_another_thread",
                 "the test 'lonely' begins in another thread than main's; call thrum::check there");
  expect_refused("without_name", "thrum::check: the name of a test is empty; give it one, or leave it out");
}

TEST_F(Closures, WrongOptionsAreRefused) {
  const std::string options = "the options of the test ";
  expect_refused("wrong_strategy", options +
                                       "'second' in the program: --strategy: 'astrology' is unknown; thrum "
                                       "strategies lists what there is");
  expect_refused("wrong_together",
                 options +
                     "'both' in the program: --bound: with dpor schedules within the bound could be missed; "
                     "leave it out, or take bpor or icb");
  EXPECT_FALSE(fs::exists(path("thrum-out/bug-1.trace.json")));
  expect_refused("wrong_number", options +
                                     "'negative' in the program: --executions: '-1' is wrong; it takes a "
                                     "whole number from 0");
  expect_refused("wrong_size", options +
                                   "'huge' in the program: --program-memory: '1X' is no size; it takes a "
                                   "number of bytes, or with K, M, G or T behind it, such as 500M");
  check_main("wrong_strategy", 0, {"--test", "first"});
}

// Then the tests are not known, and main is what is checked.
TEST_F(Closures, AFailureOfMainItselfIsABug) {
  const json aborted = check_main("failing_outside", 1);
  ASSERT_EQ(aborted["tests"].size(), 1U);
  EXPECT_EQ(aborted["tests"][0]["name"], "main");
  EXPECT_EQ(aborted["tests"][0]["bugs"][0]["kind"], "crash");
  const json exited = check_main("exiting_with_3", 1);
  ASSERT_EQ(exited["tests"].size(), 1U);
  EXPECT_EQ(exited["tests"][0]["bugs"][0]["kind"], "nonzero-exit");
}

TEST_F(Closures, AMainThatMakesNoCallIsOneTest) {
  const json result = check_main("without_a_test", 1);
  ASSERT_EQ(result["tests"].size(), 1U);
  EXPECT_EQ(result["tests"][0]["name"], "main");
  EXPECT_EQ(result["tests"][0]["bugs"][0]["kind"], "assertion");
}

TEST_F(Closures, StandBesideTestsOfAFramework) {
  const ChildResult listed = thrum({"check", "--list-tests", program("both")});
  EXPECT_EQ(listed.output, "closure\nSum.IsTwo\nSum.HoldsAnother\n") << listed.errors;
  const json result = check({program("both"), "--test", "closure", "--test", "*Two"}, 0);
  ASSERT_EQ(result["tests"].size(), 2U);
  EXPECT_EQ(test(result, "closure")["strategy"], "dfs");
  EXPECT_EQ(test(result, "Sum.IsTwo")["strategy"], "auto");
  for (const json& each : result["tests"]) EXPECT_EQ(each["verdict"], "exhausted") << each["name"];
  const ChildResult within = thrum({"check", program("both")});
  EXPECT_EQ(within.exit_code, 2);
  EXPECT_EQ(
      within.errors,
      "thrum: the test 'within' begins within the test 'Sum.HoldsAnother'; a test cannot hold another one\n");
}

// Built for Thrum, and by an ordinary compiler without anything of Thrum but the header.
TEST_F(Closures, ByItselfEachBodyRunsOnce) {
  for (const char* build : {"closures", "closures_clang", "closures_plain"}) {
    const ChildResult result = run({program(build), "correct"}, path(""));
    EXPECT_EQ(result.exit_code, 0) << build << result.errors;
    EXPECT_EQ(result.output, "main begins\nfirst\nbetween\nsecond\nmain ends\n") << build;
    EXPECT_EQ(result.errors, "") << build;
  }
}

TEST_F(Closures, ByItselfANestedCallIsRefused) {
  for (const char* build : {"closures", "closures_clang", "closures_plain"}) {
    for (const char* main : {"nested", "nested_in_a_thread"}) {
      const ChildResult result = run({program(build), main}, path(""));
      EXPECT_EQ(result.exit_code, 2) << build << main;
      EXPECT_EQ(result.errors,
                "thrum: the test 'inner' begins within the test 'outer'; a test cannot hold another one\n")
          << build << main;
    }
  }
}

TEST_F(Closures, ByClangAsWell) {
  const json result = check({program("closures_clang"), "--", "several"}, 1);
  EXPECT_EQ(result["tests"].size(), 7U);
  EXPECT_EQ(test(result, "careless")["bugs"][0]["kind"], "assertion");
  EXPECT_EQ(test(result, place_of(".strategy = \"random\""))["executions"], 5);
}

}  // namespace
