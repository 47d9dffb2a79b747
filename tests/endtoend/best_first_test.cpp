// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Best-first search and the memory of searches, from the command line.
#include <filesystem>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BestFirst : public EndToEnd {
 protected:
  static std::string program(const std::string& name) {
    return std::string(THRUM_SOURCES) + "/tests/endtoend/programs/" + name;
  }
  json search(const std::string& input, const std::string& priorities, int exit_code,
              std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {input, "--strategy", "best-first", "--priority", priorities};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return check(arguments, exit_code)["tests"][0];
  }
  void expect_refused(std::vector<std::string> options, const std::string& phrase) {
    options.insert(options.begin(), "check");
    ChildResult result = thrum(options);
    EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
    EXPECT_TRUE(result.errors.starts_with("thrum: ")) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
    EXPECT_NE(result.errors.find(phrase), std::string::npos) << result.errors;
  }
};

constexpr const char* kLists[] = {"pb", "mdpor,pb", "mdpor,db", "ss,dpor", "ss,mdpor", "rand"};

TEST_F(BestFirst, RunsWhatDepthFirstSearchRuns) {
  std::string fixed = build(example("bluetooth_fixed.cpp"));
  std::vector<std::string> bounds[] = {{}, {"--bound", "preemptions=1"}, {"--bound", "delays=2"}};
  for (const std::vector<std::string>& bound : bounds) {
    std::vector<std::string> depth_first = {fixed, "--strategy", "dfs"};
    depth_first.insert(depth_first.end(), bound.begin(), bound.end());
    json expected = check(depth_first, 0)["tests"][0];
    for (const char* list : kLists) {
      json test = search(fixed, list, 0, bound);
      EXPECT_EQ(test["verdict"], "exhausted");
      EXPECT_EQ(test["executions"], expected["executions"]) << list;
      EXPECT_EQ(test["guarantee"], expected["guarantee"]) << list;
      EXPECT_EQ(test["strategy"], "best-first");
    }
  }
  json test = search(fixed, "ss,mdpor", 0);
  EXPECT_EQ(test["priority"], (json{"ss", "mdpor"}));
  EXPECT_EQ(test["search_memory"]["waiting"], 0);
  EXPECT_EQ(test["search_memory"]["spilled"], 0);
}

TEST_F(BestFirst, WithReductionRunsEachClass) {
  std::string fixed = build(example("bluetooth_fixed.cpp"));
  json expected = check({fixed, "--strategy", "dpor"}, 0)["tests"][0];
  for (const char* list : kLists) {
    json test = check({fixed, "--strategy", "best-first-dpor", "--priority", list}, 0)["tests"][0];
    EXPECT_EQ(test["verdict"], "exhausted");
    EXPECT_EQ(test["happens_before_classes"], expected["happens_before_classes"]) << list;
    EXPECT_EQ(test["guarantee"], expected["guarantee"]) << list;
    EXPECT_EQ(test["search_memory"]["nodes"], 1);
  }
  json test = check({fixed, "--strategy", "best-first-dpor"}, 0)["tests"][0];
  EXPECT_EQ(test["priority"], (json{"mdpor", "db"}));
  std::string wrong = build(example("bluetooth.cpp"));
  json bug = check({wrong, "--strategy", "best-first-dpor", "--priority", "rand"}, 1)["tests"][0]["bugs"][0];
  EXPECT_EQ(bug["kind"], "assertion");
  expect_refused({"--strategy", "best-first-dpor", "--bound", "preemptions=1", fixed}, "leave it out");
}

TEST_F(BestFirst, FindsBugsThatCanBeReplayed) {
  std::string wrong = build(example("bluetooth.cpp"));
  for (const char* list : kLists) {
    json bug = search(wrong, list, 1, {"--seed", "3"})["bugs"][0];
    EXPECT_EQ(bug["kind"], "assertion");
    EXPECT_EQ(bug["preemptions"], 1) << "made as simple as can be";
    EXPECT_EQ(thrum({"replay", "thrum-out/bug-1.trace.json"}).exit_code, 1) << list;
  }
  // By cost alone it is iterative context bounding, which proves that there is no simpler one.
  EXPECT_EQ(search(wrong, "pb", 1)["bugs"][0]["preemptions_minimal"], "proved");
}

TEST_F(BestFirst, RepeatsFromTheSeed) {
  std::string fixed = build(example("bluetooth_fixed.cpp"));
  auto digest = [&](const std::string& seed) {
    return search(fixed, "rand", 0,
                  {"--trace-digest", "--executions", "100", "--seed", seed})["trace_digest"];
  };
  EXPECT_EQ(digest("1"), digest("1"));
  EXPECT_NE(digest("1"), digest("2"));
}

// Depth-first search would take the end of the execution apart for ever. By one worker: what is counted is
// how soon the bug comes in the order of the priorities, and a second one runs others meanwhile.
TEST_F(BestFirst, FocusFindsSooner) {
  std::string input = build(program("two_takers.cpp"));
  json all = check({input, "--strategy", "dfs", "--executions", "5000", "--jobs", "1"}, 0);
  EXPECT_EQ(all["verdict"], "inconclusive");
  for (const char* name : {"take", "Shelf::take", "shop::Shelf<int>::take", "buy"}) {
    json test = search(input, "method", 1, {"--focus-method", name, "--jobs", "1"});
    EXPECT_LT(test["executions"], 12) << name;
  }
  for (const char* name : {"shelf", "shop::shelf"}) {
    json test = search(input, "var", 1, {"--focus-var", name, "--jobs", "1"});
    EXPECT_LT(test["executions"], 12) << name;
  }
  json test =
      search(input, "var,method,pb", 1,
             {"--focus-var", "visits", "--focus-var", "shelf", "--focus-method", "buy", "--jobs", "1"});
  EXPECT_LT(test["executions"], 200);
  // With another thing in focus it takes longer.
  EXPECT_EQ(
      search(input, "method", 0, {"--focus-method", "walk", "--executions", "100", "--jobs", "1"})["verdict"],
      "inconclusive");
}

TEST_F(BestFirst, FocusIsFoundInWhatClangMakes) {
  std::string source = program("two_takers.cpp");
  for (const char* name : {"take", "Shelf<int>::take"}) {
    std::vector<std::string> command = {THRUM_PROGRAM, "check",        source,   "--strategy",
                                        "best-first",  "--priority",   "method", "--focus-method",
                                        name,          "--executions", "100"};
    EXPECT_EQ(run(command, path(""), {"THRUM_CXX=clang++-19"}).exit_code, 1) << name;
  }
}

// What is in a file makes no difference, and nothing of it is left behind.
TEST_F(BestFirst, TheSearchIsTheSameWithLittleMemory) {
  std::string input = build(example("bluetooth_fixed.cpp"));
  fs::create_directory(path("temporary"));
  auto digest = [&](const std::vector<std::string>& strategy, const std::string& memory, bool spills) {
    std::vector<std::string> command = {THRUM_PROGRAM, "check",           input, "--trace-digest", "--json",
                                        "-",           "--search-memory", memory};
    command.insert(command.end(), strategy.begin(), strategy.end());
    ChildResult result = run(command, path(""), {"TMPDIR=" + path("temporary")});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(fs::is_empty(path("temporary")));
    json test = json::parse(result.output)["tests"][0];
    EXPECT_EQ(test["verdict"], "exhausted");
    EXPECT_EQ(test["search_memory"]["spilled"] > 0, spills) << strategy.back() << " " << memory;
    return test["trace_digest"].get<std::string>();
  };
  for (const char* list : {"pb", "mdpor,pb", "ss,mdpor", "rand"}) {
    std::vector<std::string> strategy = {"--strategy", "best-first", "--priority", list};
    EXPECT_EQ(digest(strategy, "1K", true), digest(strategy, "500M", false)) << list;
  }
}

TEST_F(BestFirst, AFileThatCannotBeMadeEndsTheSearch) {
  std::string input = build(example("bluetooth_fixed.cpp"));
  ChildResult result =
      run({THRUM_PROGRAM, "check", input, "--strategy", "best-first", "--search-memory", "1K"}, path(""),
          {"TMPDIR=/proc"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_NE(result.output.find("INCONCLUSIVE"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("--search-memory"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("/proc"), std::string::npos) << result.output;
}

// The numbers of the program's own descriptors stay what they are.
TEST_F(BestFirst, TheFileIsNoneOfTheProgramsBusiness) {
  std::string source = write("descriptors.cpp",
                             "#include <atomic>\n#include <cassert>\n#include <fcntl.h>\n#include <thread>\n"
                             "#include <unistd.h>\n"
                             "std::atomic<int> count;\n"
                             "int main() {\n"
                             "  int first = dup(1);\n  close(first);\n"
                             "  auto work = [] { for (int i = 0; i < 4; ++i) count++; };\n"
                             "  std::thread one(work);\n  work();\n  one.join();\n"
                             "  int again = dup(1);\n  assert(again == first);\n  close(again);\n"
                             "  for (int i = 3; i < 100; ++i) close(i);\n}\n");
  json test = search(source, "rand", 0, {"--search-memory", "1K"});
  EXPECT_EQ(test["verdict"], "exhausted") << test["reason"];
  EXPECT_GT(test["search_memory"]["spilled"], 0);
}

TEST_F(BestFirst, WrongUsage) {
  std::string input = build(program("two_takers.cpp"));
  expect_refused({input, "--priority", "pb"}, "--strategy best-first");
  expect_refused({input, "--strategy", "icb", "--priority", "pb"}, "--strategy best-first");
  const std::vector<std::string> best_first = {input, "--strategy", "best-first"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), best_first.begin(), best_first.end());
    return more;
  };
  expect_refused(with({"--priority", "luck"}),
                 "'luck' is unknown; it takes a list, with commas, of pb, db, dpor");
  expect_refused(with({"--priority", "pb,,rand"}), "'' is unknown");
  expect_refused(with({"--priority", "pb,rand,pb"}), "pb stands there twice");
  expect_refused(with({"--priority", "method"}), "--focus-method");
  expect_refused(with({"--priority", "pb,var"}), "--focus-var");
  expect_refused(with({"--focus-method", "take"}), "--priority method");
  expect_refused({input, "--focus-var", "shelf"}, "--priority var");
  expect_refused(with({"--priority", "method", "--focus-method", "no_such_function"}), "no_such_function");
  expect_refused(with({"--priority", "method", "--focus-method", "ake"}), "has no function ake");
  expect_refused(with({"--priority", "var", "--focus-var", "take"}), "has no global variable take");
  for (const char* size : {"", "0", "many", "-1", "5X", "5MB", "99999999999G", "0M"})
    expect_refused(with({"--search-memory", size}), "--search-memory");
}

}  // namespace
