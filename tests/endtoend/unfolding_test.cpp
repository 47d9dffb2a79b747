// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --strategy unfolding on programs: what it finds, with how few executions, and what it says of that.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

constexpr const char* kReaders = R"(
#include <atomic>
#include <thread>
#include <vector>
std::atomic<int> x;
int main() {
  std::vector<std::thread> threads;
  threads.emplace_back([] { x = 1; });
  for (int i = 0; i < 8; ++i) threads.emplace_back([] { (void)x.load(); });
  for (std::thread& thread : threads) thread.join();
#ifdef READS
  return x == 1 ? 0 : 1;
#endif
}
)";

// No thread by itself shows the deadlock: each goes on behind both of its locks in some execution.
constexpr const char* kDeadlock = R"(
#include <mutex>
#include <thread>
std::mutex a, b;
int main() {
  std::thread one([] { std::lock_guard first(a); std::lock_guard second(b); });
  std::thread other([] { std::lock_guard first(b); std::lock_guard second(a); });
  one.join();
  other.join();
}
)";

constexpr const char* kRace = R"(
#include <atomic>
#include <thread>
std::atomic<int> before, behind;
int data;
int main() {
  std::thread one([] { if (before == 1) data = 1; behind = 1; });
  std::thread other([] { before = 1; if (behind == 0) data = 2; });
  one.join();
  other.join();
}
)";

class Unfolding : public EndToEnd {
 protected:
  std::string program(const char* text, const std::vector<std::string>& flags = {}) {
    const std::string source = write("program.cpp", text);
    std::vector<std::string> words = {"c++", "-std=c++20", "-O1", "-g", source, "-o", "program"};
    words.insert(words.end(), flags.begin(), flags.end());
    EXPECT_EQ(thrum(words).exit_code, 0);
    return path("program");
  }
  json search(const std::string& program, int code, const std::string& strategy = "unfolding") {
    return check({program, "--strategy", strategy, "--statistics"}, code)["tests"][0];
  }
};

TEST_F(Unfolding, ShowsIndependentReadsSideBySide) {
  const std::string readers = program(kReaders);
  const json test = search(readers, 0);
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_EQ(test["complete"], false);
  EXPECT_EQ(test["guarantee"]["covers"], json({"local-states", "deadlocks", "data-races"}));
  EXPECT_LE(test["executions"], 3);
  // The store, each load of each value, and the end of main.
  EXPECT_EQ(test["statistics"]["local_states"], 18);
  EXPECT_EQ(test["statistics"]["unfolding"]["denied"], 0);
  EXPECT_EQ(search(readers, 0, "unfolding-replicated")["executions"], 256);
}

// What main reads behind its joins depends on how the threads have ended.
TEST_F(Unfolding, BeginsAgainWhereAJoinTellsMore) {
  const json test = search(program(kReaders, {"-DREADS"}), 0);
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_EQ(test["statistics"]["unfolding"]["restarts"], 1);
  EXPECT_EQ(test["executions"], 257);
}

TEST_F(Unfolding, FindsDeadlocksAndRacesInWhatItKnows) {
  const json deadlock = search(program(kDeadlock), 1);
  EXPECT_EQ(deadlock["bugs"][0]["kind"], "deadlock");
  const json race = search(program(kRace), 1);
  EXPECT_EQ(race["bugs"][0]["kind"], "data-race");
}

// Each of twenty pairs can come in two orders: 2^20 classes. dpor is never to end, and says so.
TEST_F(Unfolding, EndsASearchByAuto) {
  const json test = check({program(R"(
#include <atomic>
#include <thread>
#include <vector>
std::atomic<int> x[20];
int main() {
  std::vector<std::thread> threads;
  for (std::atomic<int>& one : x) {
    threads.emplace_back([&] { one = 1; });
    threads.emplace_back([&] { (void)one.load(); });
  }
  for (std::thread& thread : threads) thread.join();
}
)"),
                           "--statistics"},
                          0)["tests"][0];
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_EQ(test["complete"], false);
  EXPECT_EQ(test["guarantee"]["covers"], json({"local-states", "deadlocks", "data-races"}));
  const auto is_unfolding = [](const json& one) { return one["name"] == "unfolding"; };
  const json& members = test["statistics"]["strategies"];
  const auto unfolding = std::find_if(members.begin(), members.end(), is_unfolding);
  ASSERT_NE(unfolding, members.end()) << members;
  EXPECT_LE((*unfolding)["executions"], 3);
}

TEST_F(Unfolding, RefusesWhatItCannotDo) {
  const std::string readers = program(kReaders);
  const ChildResult races = thrum({"check", readers, "--strategy", "unfolding", "--races", "ignore"});
  EXPECT_EQ(races.exit_code, 2);
  EXPECT_NE(races.errors.find("--races ignore"), std::string::npos) << races.errors;
  const ChildResult bound = thrum({"check", readers, "--strategy", "unfolding", "--bound", "preemptions=1"});
  EXPECT_EQ(bound.exit_code, 2);
  EXPECT_NE(bound.errors.find("--bound"), std::string::npos) << bound.errors;
}

// What depends on time is named, and nothing is claimed.
TEST_F(Unfolding, NamesWhatItDoesNotCover) {
  const json test = check({program(R"(
#include <chrono>
#include <thread>
int main() {
  std::thread thread([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  thread.join();
}
)"),
                           "--strategy", "unfolding"},
                          3)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_NE(test["reason"].get<std::string>().find("does not cover sleep"), std::string::npos)
      << test["reason"];
}

TEST_F(Unfolding, GivesUpWhereMemoryIsTooSmall) {
  const std::string readers = program(kReaders, {"-DREADS"});
  const json test = check({readers, "--strategy", "unfolding", "--search-memory", "1K"}, 3)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_NE(test["reason"].get<std::string>().find("--search-memory"), std::string::npos) << test["reason"];
}

}  // namespace
