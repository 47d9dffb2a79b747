// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs told apart: fingerprints, --keep-going, --baseline, --suppressions.
#include <algorithm>
#include <filesystem>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

// Two threads with an assertion each that fails under some schedule.
const char kTwoBugs[] = R"(#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x{0}, y{0};
void first() { int before = x; x = before + 1; assert(x == before + 1); }
void second() { y = 1; assert(y == 1); }
int main() {
  std::thread a([] { first(); y = 2; });
  std::thread b([] { x = 5; second(); });
  a.join();
  b.join();
}
)";

// The same with other lines around, one of them in the caller.
const char kEdited[] = R"(#include <atomic>
#include <cassert>
#include <thread>
// A comment, and a variable that nobody needs.
int unused = 7;
std::atomic<int> x{0}, y{0};
void first() { int before = x; x = before + 1; assert(x == before + 1); }

void second() { y = 1;   assert(y == 1); }
int main() {
  std::thread a([] { first(); y = 2; });
  std::thread b([] { x = 5; second(); });
  b.join();
  a.join();
  return unused - 7;
}
)";

class KnownBugs : public EndToEnd {
 protected:
  static std::vector<std::string> fingerprints(const json& result) {
    std::vector<std::string> all;
    for (const json& bug : result["tests"][0]["bugs"]) all.push_back(bug["fingerprint"]);
    std::sort(all.begin(), all.end());
    return all;
  }
};

TEST_F(KnownBugs, FingerprintsSurviveEditsAndCompilers) {
  std::vector<std::string> before = fingerprints(check({write("bugs.cpp", kTwoBugs), "--keep-going"}, 1));
  EXPECT_EQ(before.size(), 2U);
  EXPECT_EQ(fingerprints(check({write("bugs.cpp", kEdited), "--keep-going"}, 1)), before);
  EXPECT_EQ(
      fingerprints(check(
          {write("bugs.cpp", kEdited), "--keep-going", "--strategy", "random", "--executions", "300"}, 1)),
      before);
}

TEST_F(KnownBugs, BaselineFailsOnNewOnesOnly) {
  check({write("bugs.cpp", kTwoBugs), "--keep-going"}, 1);
  std::filesystem::rename(path("result.json"), path("old.json"));
  json same = check({write("bugs.cpp", kEdited), "--baseline", "old.json"}, 0);
  EXPECT_EQ(same["verdict"], "bug");
  EXPECT_EQ(same["baseline"]["known"], 2);
  EXPECT_EQ(same["baseline"]["new"], 0);
  EXPECT_EQ(same["tests"][0]["bugs"][0]["known"], true);
  EXPECT_EQ(same["tests"][0]["reason"], "2 bugs were found, all of which the baseline knows");
  // One of them repaired, and a new one.
  std::string text = kTwoBugs;
  text.replace(text.find("assert(y == 1)"), 14, "assert(y != 2)");
  json other = check({write("bugs.cpp", text), "--baseline", "old.json"}, 1);
  EXPECT_EQ(other["baseline"]["known"], 1);
  EXPECT_EQ(other["baseline"]["new"], 1);
  ASSERT_EQ(other["baseline"]["not_seen"].size(), 1U);
  EXPECT_EQ(other["baseline"]["not_seen"][0]["message"], "assertion failed: y == 1");
}

TEST_F(KnownBugs, BaselineIsSpokenOf) {
  write("bugs.cpp", kTwoBugs);
  thrum({"check", "bugs.cpp", "--keep-going", "--json", "old.json"});
  std::string text = kTwoBugs;
  text.replace(text.find("assert(y == 1)"), 14, "assert(y != 3)");
  write("bugs.cpp", text);
  ChildResult result = thrum({"check", "bugs.cpp", "--baseline", "old.json"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("Baseline old.json: 1 bug known, 0 new.\n  1 of its bugs was not seen:\n"
                               "    main: assertion: assertion failed: y == 1 ("),
            std::string::npos)
      << result.output;
}

TEST_F(KnownBugs, BadFilesAreRefusedBeforeTheSearch) {
  std::string source = write("bugs.cpp", kTwoBugs);
  for (const char* option : {"--baseline", "--suppressions"}) {
    ChildResult result = thrum({"check", source, option, "missing"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find("missing: No such file"), std::string::npos) << result.errors;
  }
  write("list", "race:x\n\nthread:y\n");
  ChildResult result = thrum({"check", source, "--suppressions", "list"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("--suppressions list: line 3: 'thread': "), std::string::npos)
      << result.errors;
  write("old.json", "{}");
  result = thrum({"check", source, "--baseline", "old.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("--baseline old.json: is no result"), std::string::npos) << result.errors;
}

TEST_F(KnownBugs, SuppressedDeadlocksAreCountedAndProveNothing) {
  std::string source = example("abba_deadlock.cpp");
  write("list", "# known\nrace:transfer\ndeadlock:^transfer$\n");
  json result = check({source, "--suppressions", "list"}, 0);
  const json& test = result["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_EQ(test["complete"], false);
  EXPECT_TRUE(test["bugs"].empty());
  EXPECT_EQ(test["suppressed"], 1);
  EXPECT_EQ(result["suppressions"][0]["count"], 0);
  EXPECT_EQ(result["suppressions"][1]["count"], 1);
  EXPECT_FALSE(std::filesystem::exists(path("thrum-out/bug-1.trace.json")));
  write("list", "deadlock:somewhere_else\n");
  check({source, "--suppressions", "list"}, 1);
}

// What comes behind a suppressed race is run, and its accesses are visible operations.
TEST_F(KnownBugs, SuppressedRacesArePassedOver) {
  std::string source = write("flags.cpp", R"(#include <cassert>
#include <thread>
int first = 0;
int second = 0;
void write_flags() { first = 1; second = 1; }
void read_flags(bool ordered) {
  int last = second;
  assert(!ordered || first >= last);
  assert(ordered || first == last);
}
int main(int argc, char**) {
  std::thread writer(write_flags);
  read_flags(argc == 1);
  writer.join();
}
)");
  write("list", "race:^read_flags$\n");
  json result = check({source, "--suppressions", "list"}, 0);
  EXPECT_EQ(result["tests"][0]["verdict"], "exhausted");
  EXPECT_EQ(result["tests"][0]["complete"], true);
  EXPECT_EQ(result["tests"][0]["suppressed"], 2);
  EXPECT_EQ(result["suppressions"][0]["count"], 2);

  result = check({source, "--suppressions", "list", "--", "unordered"}, 1);
  ASSERT_EQ(result["tests"][0]["bugs"].size(), 1U);
  EXPECT_EQ(result["tests"][0]["bugs"][0]["kind"], "assertion");
  EXPECT_EQ(result["tests"][0]["bugs"][0]["preemptions"], 1);
  EXPECT_EQ(result["tests"][0]["suppressed"], 2);
  EXPECT_EQ(thrum({"replay", path("thrum-out/bug-1.trace.json")}).exit_code, 1);
}

// The code of the accesses serves others, whose races are not suppressed.
TEST_F(KnownBugs, RacesSuppressedByTheirCallersEndExecutions) {
  std::string source = write("bump.cpp", R"(#include <thread>
int number = 0;
[[gnu::noinline]] void bump(int& value) { value = value + 1; }
[[gnu::noinline]] void legacy() { bump(number); asm volatile(""); }
int main() {
  std::thread other(legacy);
  legacy();
  other.join();
}
)");
  write("list", "race:^legacy$\n");
  EXPECT_EQ(check({source, "--suppressions", "list"}, 0)["tests"][0]["verdict"], "inconclusive");
  write("list", "race:^bump$\n");
  EXPECT_EQ(check({source, "--suppressions", "list"}, 0)["tests"][0]["verdict"], "exhausted");
}

// The search that found it is followed by another, which has no time to find it again.
TEST_F(KnownBugs, NoBugIsLostToAFurtherSearch) {
  std::string source = write("late.cpp", R"(#include <atomic>
#include <cassert>
#include <thread>
int noise[100];
std::atomic<int> first{0};
std::atomic<int> second{0};
void make_noise() { for (int& each : noise) ++each; }
int main() {
  std::thread reader([] {
    assert(first.load() == 0 || second.load() == 1);
    make_noise();
  });
  first = 1;
  second = 1;
  make_noise();
  reader.join();
}
)");
  write("list", "race:^make_noise$\n");
  json test = check({source, "--suppressions", "list", "--executions", "8"}, 1)["tests"][0];
  EXPECT_EQ(test["bugs"][0]["kind"], "assertion");
  EXPECT_GT(test["suppressed"], 0);
}

// The operands that an undefined operation meets differ; the place is one.
TEST_F(KnownBugs, OperandsDoNotMakeManyBugsOfOne) {
  std::string source = write("shift.cpp", R"(#include <atomic>
#include <thread>
std::atomic<int> by{40};
std::atomic<int> result;
int main() {
  std::thread a([] { by = by + 1; });
  std::thread b([] { by = by + 2; });
  result = 1 << by;
  a.join();
  b.join();
}
)");
  json result = check({source, "--keep-going", "--compile-flags", "-fsanitize=undefined"}, 1);
  EXPECT_EQ(result["tests"][0]["bugs"].size(), 1U) << result.dump(2);
}

TEST_F(KnownBugs, ScheduleIsTheSimplestWhateverFoundIt) {
  for (const char* strategy : {"icb", "dfs", "random"}) {
    json result = check({example("bluetooth.cpp"), "--strategy", strategy}, 1);
    const json& bug = result["tests"][0]["bugs"][0];
    EXPECT_EQ(bug["preemptions"], 1) << strategy;
    EXPECT_EQ(bug["preemptions_minimal"], "proved") << strategy;
    EXPECT_EQ(bug["switches"], 3) << strategy;
    EXPECT_EQ(bug["switches_minimal"], "proved") << strategy;
    EXPECT_EQ(thrum({"replay", "thrum-out/bug-1.trace.json"}).exit_code, 1) << strategy;
  }
}

TEST_F(KnownBugs, ColoursAndPager) {
  check({example("bluetooth.cpp")}, 1);
  const std::string trace = "thrum-out/bug-1.trace.json";
  EXPECT_EQ(thrum({"show", trace}).output.find('\033'), std::string::npos);
  EXPECT_NE(thrum({"show", "--color=always", trace}).output.find('\033'), std::string::npos);
  EXPECT_EQ(thrum({"show", "--color=sometimes", trace}).exit_code, 2);
  // On a terminal: script(1) gives it one.
  auto on_terminal = [&](const std::string& environment) {
    std::string command = environment + " " + THRUM_PROGRAM + " show " + trace;
    return run({"script", "-qec", command, "/dev/null"}, path(""), {"TERM=xterm"}).output;
  };
  EXPECT_NE(on_terminal("PAGER='tr a-z A-Z'").find("PREEMPTED BEFORE"), std::string::npos);
  EXPECT_NE(on_terminal("PAGER=cat").find("\033["), std::string::npos);
  EXPECT_EQ(on_terminal("PAGER=cat NO_COLOR=1").find("\033["), std::string::npos);
  EXPECT_NE(on_terminal("PAGER=/no/such/pager").find("preempted before"), std::string::npos);
}

TEST_F(KnownBugs, HelpAndFullAssumptions) {
  EXPECT_NE(thrum({"help", "assumptions"}).output.find("allocation-succeeds"), std::string::npos);
  EXPECT_EQ(thrum({"help", "everything"}).exit_code, 2);
  std::string source = example("bluetooth_fixed.cpp");
  EXPECT_EQ(thrum({"check", source}).output.find("Memory never ran out."), std::string::npos);
  EXPECT_NE(thrum({"check", "--assumptions", source}).output.find("Memory never ran out."),
            std::string::npos);
}

}  // namespace
