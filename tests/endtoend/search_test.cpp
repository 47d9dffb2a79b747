// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts, exit codes and results of searches, and programs that end in unusual ways.
#include <filesystem>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Search : public EndToEnd {
 protected:
  static bool assumes(const json& result, const std::string& kind) {
    for (const json& assumption : result["tests"][0]["guarantee"]["assumptions"]) {
      if (assumption["kind"] == kind) return true;
    }
    return false;
  }
};

TEST_F(Search, Exhausted) {
  json result = check({example("bluetooth_fixed.cpp")}, 0);
  EXPECT_EQ(result["verdict"], "exhausted");
  const json& test = result["tests"][0];
  EXPECT_EQ(test["name"], "main");
  EXPECT_EQ(test["complete"], true);
  EXPECT_EQ(test["happens_before_classes"], 9);
  EXPECT_EQ(test["threads_max"], 3);
  EXPECT_TRUE(test["bugs"].empty());
  EXPECT_FALSE(assumes(result, "races-not-checked"));
  EXPECT_TRUE(assumes(result, "sequential-consistency"));
}

TEST_F(Search, Bug) {
  json result = check({example("bluetooth.cpp")}, 1);
  EXPECT_EQ(result["verdict"], "bug");
  const json& bug = result["tests"][0]["bugs"][0];
  EXPECT_EQ(bug["kind"], "assertion");
  EXPECT_EQ(bug["preemptions"], 1);
  EXPECT_EQ(bug["preemptions_minimal"], "proved");
  EXPECT_EQ(bug["trace"], "thrum-out/bug-1.trace.json");
  EXPECT_TRUE(fs::exists(path("thrum-out/bug-1.trace.json")));
  EXPECT_EQ(bug["locations"][0]["function"], "request");
  EXPECT_FALSE(assumes(result, "races-not-checked"));
}

TEST_F(Search, PlacesAreKnownWithClangToo) {
  std::vector<std::string> command = {THRUM_PROGRAM, "check", "--json", "-", example("bluetooth.cpp")};
  ChildResult result = run(command, path(""), {"THRUM_CXX=clang++-19"});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  json document = json::parse(result.output, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << result.output;
  const json& location = document["tests"][0]["bugs"][0]["locations"][0];
  EXPECT_EQ(location["function"], "request");
  EXPECT_EQ(location["file"], example("bluetooth.cpp"));
}

TEST_F(Search, FingerprintIsTheSameEachTime) {
  json first = check({example("bluetooth.cpp")}, 1);
  json again = check({example("bluetooth.cpp"), "--strategy", "dfs"}, 1);
  EXPECT_EQ(first["tests"][0]["bugs"][0]["fingerprint"], again["tests"][0]["bugs"][0]["fingerprint"]);
  json other = check({example("abba_deadlock.cpp")}, 1);
  EXPECT_NE(first["tests"][0]["bugs"][0]["fingerprint"], other["tests"][0]["bugs"][0]["fingerprint"]);
}

TEST_F(Search, BoundIsNotComplete) {
  json result = check({example("bluetooth_fixed.cpp"), "--bound", "preemptions=0"}, 0);
  EXPECT_EQ(result["verdict"], "exhausted");
  EXPECT_EQ(result["tests"][0]["complete"], false);
  const json& bound = result["tests"][0]["guarantee"]["bounds"][0];
  EXPECT_EQ(bound["kind"], "preemptions");
  EXPECT_EQ(bound["limit"], 0);
  EXPECT_EQ(bound["completed"], 0);
}

TEST_F(Search, BudgetOfTheUser) {
  json result = check({example("bluetooth_fixed.cpp"), "--executions", "2"}, 0);
  EXPECT_EQ(result["verdict"], "inconclusive");
  EXPECT_EQ(result["tests"][0]["executions"], 2);
  check({example("bluetooth_fixed.cpp"), "--executions", "2", "--require-exhausted"}, 3);
}

TEST_F(Search, StepsAreNoBudget) {
  json result = check({example("bluetooth_fixed.cpp"), "--steps", "3"}, 3);
  EXPECT_EQ(result["verdict"], "inconclusive");
  EXPECT_TRUE(assumes(result, "steps-cut"));
}

TEST_F(Search, RacesIgnoredProvesNothing) {
  EXPECT_EQ(check({example("bluetooth_fixed.cpp"), "--races", "ignore"}, 0)["verdict"], "inconclusive");
}

TEST_F(Search, OldTracesAreReplaced) {
  fs::create_directory(path("thrum-out"));
  write("thrum-out/bug-7.trace.json", "old");
  write("thrum-out/notes.txt", "the user's");
  check({example("bluetooth_fixed.cpp")}, 0);
  EXPECT_FALSE(fs::exists(path("thrum-out/bug-7.trace.json")));
  EXPECT_TRUE(fs::exists(path("thrum-out/notes.txt")));
}

TEST_F(Search, JsonAloneOnStandardOutput) {
  ChildResult result = thrum({"check", "--json", "-", example("bluetooth.cpp")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_FALSE(json::parse(result.output, nullptr, false).is_discarded()) << result.output;
}

TEST_F(Search, NoThreads) {
  json result = check({write("alone.cpp", "int main() { return 0; }\n")}, 0);
  EXPECT_EQ(result["verdict"], "exhausted");
  EXPECT_EQ(result["tests"][0]["executions"], 1);
  EXPECT_TRUE(assumes(result, "no-threads"));
}

TEST_F(Search, ArgumentsArePassed) {
  std::string source = write(
      "arguments.c", "int main(int argc, char** argv) { return argc == 3 && argv[2][0] == '-' ? 0 : 9; }\n");
  check({source, "--", "one", "--two"}, 0);
  json result = check({source}, 1);
  EXPECT_EQ(result["tests"][0]["bugs"][0]["kind"], "nonzero-exit");
}

TEST_F(Search, CrashBeforeMain) {
  std::string source =
      write("early.cpp", "int* nowhere;\nint early = *nowhere;\nint main() { return early; }\n");
  EXPECT_EQ(check({source}, 1)["tests"][0]["bugs"][0]["kind"], "crash");
}

// Nothing in the program can report this end; the supervisor must.
TEST_F(Search, KilledFromOutside) {
  std::string source =
      write("killed.cpp",
            "#include <signal.h>\n#include <sys/syscall.h>\n#include <thread>\n#include <unistd.h>\n"
            "int main() { std::thread([] { asm volatile(\"syscall\" : : \"a\"(SYS_kill), \"D\"(getpid()), "
            "\"S\"(SIGKILL) : \"rcx\", \"r11\", \"memory\"); }).join(); }\n");
  json result = check({source}, 1);
  EXPECT_EQ(result["tests"][0]["bugs"][0]["kind"], "crash");
}

TEST_F(Search, MuchOutput) {
  std::string source =
      write("loud.cpp",
            "#include <cstdio>\n#include <thread>\n"
            "int main() { for (int i = 0; i < 200000; ++i) std::puts(\"a line of forty characters, more or "
            "less\");\n"
            "  std::thread([] { for (int i = 0; i < 1000; ++i) std::puts(\"more\"); }).join(); }\n");
  check({source}, 0);
}

TEST_F(Search, EndlessBeforeAnyChoice) {
  std::string source = write("endless.cpp", "volatile int x;\nint main() { while (x == 0) { } }\n");
  ChildResult result = thrum({"check", "--time", "2", source});
  EXPECT_TRUE(result.exit_code == 3 || result.exit_code == 1) << result.output << result.errors;
}

TEST_F(Search, InterruptReportsWhatWasDone) {
  std::string program = build(example("filesystem.cpp"));
  ChildResult result = run({"timeout", "--preserve-status", "-s", "INT", "3", THRUM_PROGRAM, "check",
                            "--strategy", "icb", "--time", "0", "--json", "result.json", program},
                           path(""));
  EXPECT_EQ(result.exit_code, 3) << result.output << result.errors;
  json interrupted = json::parse(read(path("result.json")), nullptr, false);
  ASSERT_FALSE(interrupted.is_discarded());
  EXPECT_EQ(interrupted["tests"][0]["reason"], "it was interrupted");
  EXPECT_GT(interrupted["tests"][0]["executions"], 0);
}

TEST_F(Search, ReportIsReadableWithoutATerminal) {
  ChildResult result = thrum({"check", "--races", "ignore", example("lost_wakeup.cpp")});
  EXPECT_EQ(result.output.find('\033'), std::string::npos) << "no colours";
  EXPECT_NE(result.output.find("DATA RACES WERE NOT LOOKED FOR"), std::string::npos);
  EXPECT_NE(result.output.find("thrum replay thrum-out/bug-1.trace.json"), std::string::npos);
  EXPECT_NE(result.output.find("preempted before: lock mutex"), std::string::npos) << result.output;
}

TEST_F(Search, KeepGoingTellsDeadlocksApart) {
  std::string source =
      write("two.cpp",
            "#include <mutex>\n#include <thread>\n"
            "std::mutex a, b, c;\n"
            "void both(std::mutex& x, std::mutex& y) { x.lock(); y.lock(); y.unlock(); x.unlock(); }\n"
            "int main() {\n"
            "  std::thread first([] { both(a, b); c.lock(); a.lock(); a.unlock(); c.unlock(); });\n"
            "  std::thread second([] { both(b, a); a.lock(); c.lock(); c.unlock(); a.unlock(); });\n"
            "  first.join();\n  second.join();\n}\n");
  nlohmann::json result = check({source, "--keep-going"}, 1);
  const nlohmann::json& test = result["tests"][0];
  EXPECT_EQ(test["bugs"].size(), 2) << result.dump(2);
  EXPECT_NE(test["bugs"][0]["fingerprint"], test["bugs"][1]["fingerprint"]);
  EXPECT_EQ(test["guarantee"]["text"], "every schedule (an execution ends at its bug)");
}

}  // namespace
