// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --bound yields=N is what a false thrum_assume behind N rounds of each thread's own would be, for every
// strategy.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

// Two threads poll under a lock until a third one has set what they wait for.
constexpr const char* kPolls = R"(
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <thrum/thrum.h>
std::mutex lock;
int ready, tries;
std::atomic<int> arrived;
bool poll() {
  std::lock_guard guard(lock);
  ++tries;
  return ready;
}
void wait() {
  [[maybe_unused]] int yields = 0;
  while (!poll()) {
#ifdef ASSUMES
    thrum_assume(++yields <= 2);
#endif
    std::this_thread::yield();
  }
  arrived = arrived + 1;
}
int main() {
  std::thread a(wait), b(wait);
  {
    std::lock_guard guard(lock);
    ready = 1;
  }
  a.join();
  b.join();
  assert(arrived == 2 || !FAILS);
}
)";

class Yields : public EndToEnd {
 protected:
  std::string program(const std::string& name, const std::vector<std::string>& flags) {
    const std::string source = write("polls.cpp", kPolls);
    std::vector<std::string> words = {"c++", "-std=c++20", "-O1", "-g", source, "-o", name};
    words.insert(words.end(), flags.begin(), flags.end());
    EXPECT_EQ(thrum(words).exit_code, 0);
    return path(name);
  }
  json search(const std::string& program, const std::string& strategy, const std::string& bound, int code) {
    return check(
        {program, "--fair", "off", "--strategy", strategy, "--bound", bound, "--time", "0", "--keep-going"},
        code)["tests"][0];
  }
};

bool assumes(const json& test, const std::string& kind) {
  const json& list = test["guarantee"]["assumptions"];
  return std::any_of(list.begin(), list.end(), [&](const json& one) { return one["kind"] == kind; });
}

TEST_F(Yields, AreAssumedAway) {
  for (bool fails : {false, true}) {
    const std::string define = fails ? "-DFAILS=1" : "-DFAILS=0";
    const std::string bounded = program("bounded", {define});
    const std::string assumed = program("assumed", {define, "-DASSUMES"});
    for (const char* strategy :
         {"dfs", "icb", "dpor", "dpor-source", "dpor-persistent", "race-flip", "best-first-dpor"}) {
      const json once = search(assumed, strategy, "none", fails ? 1 : 0);
      const json test = search(bounded, strategy, "yields=2", fails ? 1 : 0);
      EXPECT_EQ(test["executions"], once["executions"]) << strategy;
      EXPECT_EQ(test["verdict"], once["verdict"]) << strategy;
      EXPECT_EQ(test["bugs"].size(), once["bugs"].size()) << strategy;
      EXPECT_TRUE(assumes(test, "yields-cut")) << strategy;
      EXPECT_FALSE(test["complete"]) << strategy;
      EXPECT_NE(test["guarantee"]["text"].get<std::string>().find("same yield more than 2 times"),
                std::string::npos)
          << test["guarantee"]["text"];
    }
  }
}

TEST_F(Yields, BesideABoundOnPreemptions) {
  const std::string bounded = program("bounded", {"-DFAILS=0"});
  const std::string assumed = program("assumed", {"-DFAILS=0", "-DASSUMES"});
  for (const char* strategy : {"icb", "dfs", "best-first"}) {
    const json once = search(assumed, strategy, "preemptions=2", 0);
    const json test = search(bounded, strategy, "yields=2,preemptions=2", 0);
    EXPECT_EQ(test["executions"], once["executions"]) << strategy;
    EXPECT_EQ(test["guarantee"]["bounds"].back(),
              (json{{"kind", "yields"}, {"limit", 2}, {"completed", 2}, {"covers", "executions"}}));
  }
}

// What cuts nothing leaves nothing out.
TEST_F(Yields, ThatAreFewerThanTheBound) {
  const std::string assumed = program("assumed", {"-DFAILS=0", "-DASSUMES"});
  const json test = search(assumed, "dpor", "yields=3", 0);
  EXPECT_TRUE(test["complete"]);
  EXPECT_FALSE(assumes(test, "yields-cut"));
}

TEST_F(Yields, WrongUse) {
  for (const char* bound : {"yields=0", "yields=2,yields=3", "yields", "preemptions=1,", ",yields=1",
                            "yields=x", "preemptions=1,delays=2"}) {
    const ChildResult result = thrum({"check", "--bound", bound, "program"});
    EXPECT_EQ(result.exit_code, 2) << bound;
    EXPECT_NE(result.errors.find("yields=N"), std::string::npos) << result.errors;
  }
}

}  // namespace
