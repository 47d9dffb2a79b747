// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Invariants: each strategy checks each state that it comes to, and those that claim to be complete come to
// all states that an invariant can tell apart. Depth-first search, which runs every schedule, says which are.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

// Each of these comes to states between independent writes. The state that must not be is an argument, 4 x +
// y.
constexpr const char* kFlags = R"(
#include <thrum/thrum.hpp>
#include <atomic>
#include <cstdlib>
#include <thread>
std::atomic<int> x, y;
int main(int, char** arguments) {
  const int forbidden = std::atoi(arguments[1]);
  thrum::Invariant never("never so", [forbidden] { return 4 * x + y != forbidden; });
  std::thread one([] { x = 1; x = 2; });
  std::thread other([] { y = 1; y = 2; });
  one.join();
  other.join();
}
)";

constexpr const char* kBehindLocks = R"(
#include <thrum/thrum.hpp>
#include <cstdlib>
#include <mutex>
#include <thread>
std::mutex of_x, of_y;
int x, y;
int main(int, char** arguments) {
  const int forbidden = std::atoi(arguments[1]);
  thrum::Invariant never("never so", [forbidden] { return 4 * x + y != forbidden; });
  std::thread one([] {
    { std::lock_guard lock(of_x); x = 1; }
    { std::lock_guard lock(of_x); x = 2; }
  });
  std::thread other([] { std::lock_guard lock(of_y); y = 1; });
  one.join();
  { std::lock_guard lock(of_y); y = 2; }
  other.join();
}
)";

// What the threads write plainly stands behind operations that access nothing, and behind joins.
constexpr const char* kBehindPoints = R"(
#include <thrum/thrum.hpp>
#include <cstdlib>
#include <thread>
int x, y;
int main(int, char** arguments) {
  const int forbidden = std::atoi(arguments[1]);
  thrum::Invariant never("never so", [forbidden] { return 4 * x + y != forbidden; });
  std::thread one([] { thrum_point(); x = 1; });
  std::thread other([] { thrum_point(); y = 1; });
  one.join();
  x = 2;
  other.join();
  y = 2;
}
)";

class Invariants : public EndToEnd {
 protected:
  void compile(const char* text) {
    const std::string source = write("program.cpp", text);
    ASSERT_EQ(thrum({"c++", "-std=c++20", "-O1", "-g", source, "-o", "program"}).exit_code, 0);
  }
  json search(const std::string& strategy, int forbidden, int code) {
    return check({"--strategy", strategy, path("program"), "--", std::to_string(forbidden)},
                 code)["tests"][0];
  }
  // Whether schedules come to the state.
  bool is_possible(int state) {
    return thrum({"check", "--strategy", "dfs", path("program"), "--", std::to_string(state)}).exit_code == 1;
  }
};

TEST_F(Invariants, AreCheckedInAllStates) {
  std::vector<std::string> strategies = {"dpor", "dpor-source", "dpor-persistent", "best-first-dpor",
                                         "race-flip"};
  if (has_solver()) strategies.push_back("mcr");
  for (const char* text : {kFlags, kBehindLocks, kBehindPoints}) {
    compile(text);
    int possible = 0;
    for (const int state : {0, 1, 2, 4, 5, 6, 8, 9, 10, 15}) {
      const bool is_so = is_possible(state);
      possible += is_so ? 1 : 0;
      for (const std::string& strategy : strategies) {
        const json test = search(strategy, state, is_so ? 1 : 0);
        EXPECT_EQ(test["verdict"], is_so ? "bug" : "exhausted") << strategy << ", state " << state << text;
        if (!is_so) continue;
        EXPECT_EQ(test["bugs"][0]["kind"], "invariant");
      }
    }
    EXPECT_GE(possible, 4) << text;
    EXPECT_LE(possible, 9) << text;
  }
}

// The classes of these say nothing of states between steps of several threads.
TEST_F(Invariants, AreRefusedByNameWhereTheyAreNotCovered) {
  compile(kFlags);
  for (const char* strategy : {"rf", "unfolding"}) {
    const json test = search(strategy, 15, 3);
    EXPECT_EQ(test["verdict"], "inconclusive") << strategy;
    EXPECT_NE(test["reason"].get<std::string>().find("invariant check"), std::string::npos) << test["reason"];
  }
}

// The others check the states of each execution that they run: here one execution shows it.
TEST_F(Invariants, AreCheckedBetweenAllStepsOfAnExecution) {
  compile(kFlags);
  check({"--strategy", "random", "--executions", "1", path("program"), "--", "10"}, 1);
}

TEST_F(Invariants, FailAgainInAReplay) {
  compile(kFlags);
  const ChildResult found = thrum({"check", "--strategy", "dpor", path("program"), "--", "1"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_NE(found.output.find("invariant: the invariant 'never so' does not hold"), std::string::npos)
      << found.output;
  const ChildResult again = thrum({"replay", path("thrum-out/bug-1.trace.json")});
  EXPECT_NE(again.output.find("the invariant 'never so' does not hold"), std::string::npos) << again.output;
}

// By itself the program does not know of them.
TEST_F(Invariants, AreNothingWithoutASearch) {
  compile(kFlags);
  EXPECT_EQ(run({path("program"), "0"}, path("")).exit_code, 0);
}

}  // namespace
