// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a check says of how far it is, and of what it has done: --progress, --statistics, --count-classes,
// --plot.
#include <filesystem>
#include <regex>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

const std::vector<std::string> kAll = {"--bound", "none", "--time", "0"};

class Statistics : public EndToEnd {
 protected:
  json test_of(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.end(), kAll.begin(), kAll.end());
    return check(arguments, exit_code)["tests"][0];
  }

  // A writer of n variables, and a reader of each.
  std::string readers(int n) {
    std::string text = "#include <atomic>\n#include <thread>\nstd::atomic<int> x[" + std::to_string(n) +
                       "];\nint main() {\n  std::thread writer([] { for (auto& one : x) one = 1; });\n";
    for (int i = 0; i < n; ++i) {
      std::string number = std::to_string(i);
      text += "  std::thread r" + number + "([] { (void)x[" + number + "].load(); });\n";
    }
    text += "  writer.join();\n";
    for (int i = 0; i < n; ++i) text += "  r" + std::to_string(i) + ".join();\n";
    return build(write("readers" + std::to_string(n) + ".cpp", text + "}\n"));
  }

  // Two threads that add each other's variable to their own, n times; main reads both in the end.
  std::string fib(int n) {
    std::string times = std::to_string(n);
    return build(write("fib" + times + ".cpp",
                       "#include <atomic>\n#include <thread>\nstd::atomic<int> i{1}, j{1};\nint main() {\n"
                       "  std::thread a([] { for (int k = 0; k < " +
                           times +
                           "; ++k) i.fetch_add(j.load()); });\n"
                           "  std::thread b([] { for (int k = 0; k < " +
                           times +
                           "; ++k) j.fetch_add(i.load()); });\n"
                           "  a.join();\n  b.join();\n  return i.load() + j.load() < 0;\n}\n"));
  }
};

// A search without reduction sees the classes that the reduction runs one execution of.
void expect_same_classes(const json& reduced, const json& whole) {
  EXPECT_EQ(reduced["executions"], reduced["happens_before_classes"]);
  EXPECT_EQ(whole["happens_before_classes"], reduced["happens_before_classes"]);
  EXPECT_GE(whole["executions"], whole["happens_before_classes"]);
  std::int64_t classes = 0;
  std::int64_t executions = 0;
  for (const json& level : whole["statistics"]["levels"]) {
    classes += level["classes"].get<std::int64_t>();
    executions += level["executions"].get<std::int64_t>();
  }
  EXPECT_EQ(classes, whole["happens_before_classes"]);
  EXPECT_EQ(executions, whole["executions"]);
  EXPECT_EQ(whole["statistics"]["growth"].back()["classes"], classes);
}

TEST_F(Statistics, ClassesOfReaders) {
  for (int n : {1, 3}) {
    std::string program = readers(n);
    json reduced = test_of({program, "--strategy", "dpor"});
    EXPECT_EQ(reduced["happens_before_classes"], 1 << n) << "each reader comes before its write, or behind";
    for (const char* strategy : {"icb", "dfs"})
      expect_same_classes(reduced, test_of({program, "--strategy", strategy, "--count-classes"}));
  }
}

TEST_F(Statistics, ClassesOfFibonacci) {
  std::string program = fib(3);
  json reduced = test_of({program, "--strategy", "dpor"});
  for (const char* strategy : {"icb", "dfs"})
    expect_same_classes(reduced, test_of({program, "--strategy", strategy, "--count-classes"}));
}

TEST_F(Statistics, ClassesOfLocksAndWaits) {
  for (const char* name : {"lock_sections", "condvar", "semaphore", "compare_exchange", "readers_writer"}) {
    std::string program =
        build(std::string(THRUM_SOURCES) + "/tests/programs/correct/counts/" + name + ".cpp");
    // A round of a retry loop that fails is a class of its own, unless the reduction merges it with later
    // ones.
    json reduced = test_of({program, "--strategy", "dpor", "--waiting", "repeat"});
    json counted = test_of({program, "--strategy", "dpor", "--waiting", "repeat", "--count-classes"});
    EXPECT_EQ(counted["executions"], reduced["executions"]) << name;
    EXPECT_EQ(counted["happens_before_classes"], reduced["happens_before_classes"]) << name;
    json whole = test_of({program, "--strategy", "dfs", "--count-classes"});
    EXPECT_EQ(whole["happens_before_classes"], reduced["happens_before_classes"]) << name;
    EXPECT_EQ(whole["executions"], test_of({program, "--strategy", "dfs"})["executions"]) << name;
  }
}

// What was run before loops were known counts apart, in each repetition.
TEST_F(Statistics, ARepeatedSearchMayHaveLearnedOfLoopsBefore) {
  const std::string program = build(std::string(THRUM_SOURCES) + "/bench/verification/mpmc_queue.cpp");
  const json once = test_of({program, "--strategy", "dpor"});
  const json often = test_of({program, "--strategy", "dpor", "--repeat", "3"});
  const auto counted = [](const json& test) {
    return test["executions"].get<int>() - test["statistics"]["before"].get<int>();
  };
  EXPECT_GT(once["statistics"]["before"], 0);
  EXPECT_EQ(counted(often), 3 * counted(once));
  EXPECT_EQ(often["verdict"], "exhausted");
  EXPECT_EQ(often["statistics"]["classes"], once["statistics"]["classes"]);
}

TEST_F(Statistics, ClassesAreNotCountedUnasked) {
  json test = test_of({readers(1), "--strategy", "dfs"});
  EXPECT_EQ(test["happens_before_classes"], nullptr);
  EXPECT_EQ(test["statistics"]["classes"], nullptr);
  EXPECT_EQ(test["statistics"]["levels"][0]["classes"], nullptr);
  EXPECT_EQ(test["statistics"]["growth"][0]["classes"], nullptr);
  EXPECT_EQ(test["statistics"]["growth"][0]["executions"], 1);
}

// A randomised search runs the same executions, counted or not.
TEST_F(Statistics, CountingChangesNoSearch) {
  std::string program = readers(3);
  for (const char* strategy : {"random", "pct", "surw", "icb"}) {
    auto digest = [&](std::vector<std::string> more) {
      more.insert(more.begin(), {program, "--strategy", strategy, "--executions", "50", "--trace-digest"});
      json test = check(more, 0)["tests"][0];
      EXPECT_EQ(test["executions"], 50);
      return test["trace_digest"];
    };
    EXPECT_EQ(digest({"--count-classes"}), digest({})) << strategy;
  }
}

TEST_F(Statistics, BugsStandWithTheirLevel) {
  json test = test_of({example("bluetooth.cpp")}, 1);
  const json& bug = test["bugs"][0];
  for (const json& level : test["statistics"]["levels"]) {
    EXPECT_EQ(level["bugs"], level["cost"] == bug["preemptions"] ? 1 : 0) << level;
    if (level["cost"] == bug["preemptions"]) continue;  // may be done as well, or not
    EXPECT_EQ(level["completed_seconds"].is_null(), level["cost"] > bug["preemptions"]) << level;
  }
}

TEST_F(Statistics, OfEachHeap) {
  json test = test_of({example("refcount.cpp"), "--heap", "both", "--keep-going"}, 1);
  EXPECT_FALSE(test.contains("statistics"));
  ASSERT_EQ(test["guarantee"]["heaps"].size(), 2);
  for (const json& heap : test["guarantee"]["heaps"])
    EXPECT_EQ(heap["statistics"]["growth"].back()["executions"], heap["executions"]);
}

TEST_F(Statistics, InTheReportOnlyWhereAskedFor) {
  std::string program = readers(1);
  ChildResult silent = thrum({"check", program});
  EXPECT_EQ(silent.output.find("Statistics"), std::string::npos) << silent.output;
  ChildResult told = thrum({"check", program, "--statistics", "--count-classes"});
  EXPECT_NE(told.output.find("\nStatistics:\n  preemptions"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("  2 classes of executions, 1.00 executions each\n"), std::string::npos)
      << told.output;
}

TEST_F(Statistics, APicture) {
  ChildResult result = thrum({"check", readers(3), "--strategy", "icb", "--plot", "coverage.svg"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::string svg = read(path("coverage.svg"));
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg;
  EXPECT_NE(svg.find(">main (icb)<"), std::string::npos);
  ChildResult refused = thrum({"check", readers(1), "--plot", "no/such/folder.svg"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("no/such/folder.svg"), std::string::npos) << refused.errors;
}

TEST_F(Statistics, APictureOfSeveralResults) {
  std::string program = readers(3);
  for (const char* strategy : {"icb", "dfs", "dpor"}) {
    ChildResult result = thrum({"check", program, "--strategy", strategy, "--count-classes", "--json",
                                strategy + std::string(".json")});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  ChildResult result = thrum({"plot", "icb.json", "dfs.json", "dpor.json", "--out", "all.svg"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::string svg = read(path("all.svg"));
  for (const char* name : {">main (icb)<", ">main (dfs)<", ">main (dpor)<"})
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  write("other.json", "{\"schema\": 1}");
  for (const char* wrong : {"other.json", "missing.json", "."}) {
    ChildResult refused = thrum({"plot", wrong, "--out", "none.svg"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(refused.errors.starts_with(std::string("thrum: ") + wrong + ": ")) << refused.errors;
    EXPECT_FALSE(std::filesystem::exists(path("none.svg")));
  }
}

// ---- Local states ---------------------------------------------------------------------------------

class LocalStates : public Statistics {
 protected:
  // With --coverage local-states.
  json counted(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.end(), {"--coverage", "local-states"});
    return test_of(arguments, exit_code)["statistics"];
  }
  std::string source(const std::string& name) { return std::string(THRUM_SOURCES) + "/" + name; }
};

// As many as the search by unfolding knows; and other searches meet the same, where there are no waiting
// loops.
TEST_F(LocalStates, AreTheEventsOfTheUnfolding) {
  for (const char* name :
       {"tests/programs/correct/counts/lock_sections.cpp", "tests/programs/correct/counts/semaphore.cpp",
        "tests/programs/correct/counts/readers_writer.cpp", "bench/verification/indexer.cpp",
        "bench/verification/mpmc_queue.cpp"}) {
    const std::string program = build(source(name));
    const json known = test_of({program, "--strategy", "unfolding"})["statistics"];
    const json met = counted({program, "--strategy", "unfolding"});
    EXPECT_EQ(met["local_states"], known["local_states"]) << name;
    EXPECT_EQ(met["growth"].back()["local_states"], known["local_states"]) << name;
    EXPECT_TRUE(met["local_states_exact"]) << name;
    EXPECT_FALSE(known.contains("local_states_exact")) << name;
    const bool has_loops = !met["waiting_loops"].empty();
    if (has_loops) continue;
    EXPECT_EQ(counted({program, "--strategy", "dpor"})["local_states"], known["local_states"]) << name;
  }
}

TEST_F(LocalStates, AreTheSameForEachSearch) {
  const std::string program = readers(3);
  const json known = test_of({program, "--strategy", "unfolding"})["statistics"]["local_states"];
  EXPECT_EQ(known, 3 + 2 * 3 + 1) << "stores, loads of either value, and the end";
  for (const char* strategy : {"icb", "dfs", "dpor", "race-flip", "bpor", "rf", "best-first",
                               "best-first-dpor", "auto", "unfolding-replicated"}) {
    for (const char* jobs : {"1", "2"}) {
      const json plain = test_of({program, "--strategy", strategy, "--jobs", jobs});
      const json met = counted({program, "--strategy", strategy, "--jobs", jobs});
      EXPECT_EQ(met["local_states"], known) << strategy;
      EXPECT_LE(met["last_new_local_state"], plain["executions"]) << strategy;
      EXPECT_GT(met["last_new_local_state"], 1) << strategy;
    }
  }
}

// What main does behind its joins depends on the value of plain memory.
TEST_F(LocalStates, JoinsTellWhereMainReadsWhatOthersWrote) {
  const std::string program = build(write("money.cpp", R"(
#include <mutex>
#include <thread>
std::mutex m;
int money;
int main() {
  auto work = [](int by) { std::lock_guard lock(m); money += by; };
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  return money != 3;
}
)"));
  const json known = test_of({program, "--strategy", "unfolding"})["statistics"]["local_states"];
  for (const char* strategy : {"unfolding", "dpor", "icb"})
    EXPECT_EQ(counted({program, "--strategy", strategy})["local_states"], known) << strategy;
  EXPECT_EQ(known, 8 + 2) << "locks and unlocks, and an end of main for each order";
}

TEST_F(LocalStates, InReportsAndPictures) {
  const std::string program = readers(1);
  const ChildResult told = thrum({"check", program, "--strategy", "dpor", "--coverage", "local-states",
                                  "--plot", "all.svg", "--json", "one.json"});
  EXPECT_NE(told.output.find("\nLocal states met: 4 (the last new one in execution 2 of 2).\n"),
            std::string::npos)
      << told.output;
  EXPECT_NE(read(path("all.svg")).find("local states met"), std::string::npos);
  EXPECT_EQ(thrum({"plot", "one.json", "--out", "again.svg"}).exit_code, 0);
  EXPECT_EQ(read(path("again.svg")), read(path("all.svg")));
  const ChildResult refused = thrum({"check", program, "--coverage", "lines"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.errors, "thrum: --coverage: 'lines' is unknown; it takes local-states, values\n");
}

TEST_F(LocalStates, CountingChangesNoSearch) {
  const std::string program = readers(3);
  for (const char* strategy : {"random", "icb", "dpor", "best-first-dpor", "auto", "unfolding"}) {
    const json plain = test_of({program, "--strategy", strategy, "--executions", "50", "--trace-digest"});
    const json counts = test_of({program, "--strategy", strategy, "--executions", "50", "--trace-digest",
                                 "--coverage", "local-states"});
    for (const char* same : {"executions", "steps", "verdict"})
      EXPECT_EQ(plain[same], counts[same]) << strategy;
  }
}

// ---- While it runs -------------------------------------------------------------------------------

// More than anybody can wait for, and five seconds of it: words come after one, two and four.
class Progress : public Statistics {
 protected:
  std::vector<std::string> command(const std::string& strategy, std::vector<std::string> more) {
    if (program_.empty()) program_ = fib(12);
    more.insert(more.begin(), {THRUM_PROGRAM, "check", program_, "--strategy", strategy, "--time", "5"});
    return more;
  }

 private:
  std::string program_;
};

TEST_F(Progress, InALogOnStandardErrorOnly) {
  ChildResult result = run(command("dfs", {"--progress", "always", "--json", "-"}), path(""));
  EXPECT_FALSE(json::parse(result.output, nullptr, false).is_discarded()) << result.output;
  EXPECT_TRUE(std::regex_search(
      result.errors,
      std::regex("(^|\n)searching: dfs, [0-9]+ executions, [0-9]+/s, [0-9]+ s; [^\n]*%[^\n]*\n")))
      << result.errors;
  EXPECT_EQ(result.errors.find('\033'), std::string::npos);
  ChildResult short_search = run(command("dfs", {}), path(""));
  EXPECT_EQ(short_search.errors, "") << "a log is told nothing of a search of a few seconds";
}

// On a terminal, which `script` makes: one line that is written over and is gone at the end.
TEST_F(Progress, OnATerminal) {
  auto on_terminal = [&](const std::vector<std::string>& command, const std::string& terminal) {
    std::string line = "stty cols 60;";
    for (const std::string& word : command) line += " " + word;
    std::string screen =
        run({"script", "-qec", line + " >report.txt", "screen.txt"}, path(""), {"TERM=" + terminal}).output;
    // The terminal echoes that there is no more input.
    return std::regex_replace(screen, std::regex("\\^D(\b\b)?"), "");
  };
  std::string screen = on_terminal(command("icb", {}), "xterm");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(screen, match, std::regex("\r\033\\[K(searching: icb, [^\r\n]*)\r\033\\[K")))
      << screen;
  EXPECT_LT(match[1].length(), 60);
  EXPECT_TRUE(screen.ends_with("\r\033[K")) << "the line is gone";
  EXPECT_EQ(screen.find('\n'), std::string::npos) << screen;
  EXPECT_EQ(read(path("report.txt")).find("searching"), std::string::npos);

  EXPECT_EQ(on_terminal(command("icb", {"--progress", "never"}), "xterm"), "");
  std::string dumb = on_terminal(command("dpor", {"--progress", "always"}), "dumb");
  EXPECT_EQ(dumb.find('\033'), std::string::npos) << dumb;
  EXPECT_NE(dumb.find("searching: dpor, "), std::string::npos) << dumb;
}

TEST_F(Progress, OnlyWhatIsKnown) {
  ChildResult result = run(command("random", {"--progress", "always"}), path(""));
  EXPECT_TRUE(std::regex_search(result.errors, std::regex("(^|\n)searching: random, [^;\n]*\n")))
      << result.errors;
}

}  // namespace
