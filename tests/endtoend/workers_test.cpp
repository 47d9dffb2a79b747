// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --jobs: several workers come to the same as one, whatever becomes of them on the way.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "endtoend.hpp"

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Three threads that lock so often each.
constexpr const char* kLockedCounter = R"(
#include <mutex>
#include <thread>
std::mutex lock;
int counter;
int main() {
  auto work = [] {
    for (int i = 0; i < ROUNDS; ++i) {
      std::lock_guard guard(lock);
      ++counter;
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
}
)";

// Fails in different ways, at different places, some of them only late.
constexpr const char* kVariousBugs = R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x, y, z, w;
int main() {
  auto busy = [] { w = w + 1; };
  std::thread a([&] { x = 1; y = 1; busy(); z = 1; assert(y != 3); });
  std::thread b([&] { y = y + 2; busy(); assert(x != 1 || z != 1 || y != 2); z = 5; assert(z == 5); });
  x = 2;
  a.join();
  b.join();
  assert(x == 1);
  assert(w != 1);
}
)";

// Two threads read many values there.
constexpr const char* kUnlockedCounter = R"(
#include <atomic>
#include <thread>
std::atomic<int> counter;
int main() {
  auto work = [] {
    for (int i = 0; i < ROUNDS; ++i) counter = counter + 1;
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
)";

class WorkersTest : public EndToEnd {
 protected:
  std::string counter(int rounds) { return build_with(rounds, "counter", kLockedCounter); }
  std::string unlocked(int rounds) { return build_with(rounds, "unlocked", kUnlockedCounter); }

  std::string build_with(int rounds, const std::string& name, std::string text) {
    text.replace(text.find("ROUNDS"), 6, std::to_string(rounds));
    return build(write(name + std::to_string(rounds) + ".cpp", text));
  }

  json search(const std::string& program, std::vector<std::string> words, int jobs, int exit_code) {
    words.insert(words.begin(), program);
    words.insert(words.end(), {"--time", "0", "--jobs", std::to_string(jobs)});
    json test = check(words, exit_code)["tests"][0];
    EXPECT_LE(test["workers"], jobs);
    return test;
  }
};

// What does not depend on who did what.
json outcome_of(const json& test, bool by_cost) {
  json outcome;
  for (const char* field : {"verdict", "complete", "happens_before_classes"}) outcome[field] = test[field];
  outcome["bounds"] = test["guarantee"]["bounds"];
  std::set<std::string> bugs;
  for (const json& bug : test["bugs"]) {
    bugs.insert(bug["fingerprint"].get<std::string>() + " " + bug["message"].get<std::string>() +
                (by_cost ? " " + bug["preemptions"].dump() + bug["preemptions_minimal"].dump() : ""));
  }
  outcome["bugs"] = bugs;
  const json statistics = test["statistics"];
  if (statistics.contains("decisions")) {
    for (const char* field : {"places", "shown", "unreachable", "undecided", "nodes"})
      outcome[field] = statistics["decisions"][field];
  }
  if (by_cost) outcome["executions"] = test["executions"];
  return outcome;
}

TEST_F(WorkersTest, ComeToTheSameAsOne) {
  const std::string clean = counter(4);
  const std::string wrong = build(write("bugs.cpp", kVariousBugs));
  struct SearchCase {
    std::vector<std::string> words;
    bool by_cost;  // and each execution exactly once
  };
  const std::vector<SearchCase> searches = {{{"--strategy", "icb", "--count-classes"}, true},
                                            {{"--strategy", "dfs"}, true},
                                            {{"--strategy", "dpor"}, false},
                                            {{"--strategy", "race-flip"}, false},
                                            {{"--strategy", "bpor", "--bound", "preemptions=3"}, false},
                                            {{"--strategy", "best-first", "--priority", "mdpor"}, false}};
  int shared = 0;
  for (const std::string& program : {clean, wrong}) {
    for (const SearchCase& search_ : searches) {
      std::vector<std::string> words = search_.words;
      if (program == wrong) words.emplace_back("--keep-going");
      const int code = program == wrong ? 1 : 0;
      const json one = search(program, words, 1, code);
      for (int jobs : {2, 8}) {
        const json several = search(program, words, jobs, code);
        EXPECT_EQ(outcome_of(one, search_.by_cost), outcome_of(several, search_.by_cost))
            << program << " " << words[1] << " " << jobs;
        if (several["workers"] > 1) ++shared;
      }
    }
  }
  EXPECT_GT(shared, 10);
}

// The solver's strategy is in the supervisor, for each worker on a thread of its own.
TEST_F(WorkersTest, ShareTheTreesOfASearchByValues) {
  if (!has_solver()) GTEST_SKIP() << "without Z3";
  const std::string clean = unlocked(5);
  const std::string wrong = build(write("bugs.cpp", kVariousBugs));
  int shared = 0;
  for (const std::string& program : {clean, wrong}) {
    std::vector<std::string> words = {"--strategy", "mcr"};
    if (program == wrong) words.emplace_back("--keep-going");
    const int code = program == wrong ? 1 : 0;
    const json one = search(program, words, 1, code);
    for (int jobs : {2, 4}) {
      const json several = search(program, words, jobs, code);
      EXPECT_EQ(outcome_of(one, false), outcome_of(several, false)) << program << " " << jobs;
      if (several["workers"] > 1) ++shared;
    }
  }
  EXPECT_GT(shared, 0);
}

TEST_F(WorkersTest, TakeTurnsWithStrategiesToTheSameEnd) {
  const std::string program = counter(4);
  for (int jobs : {1, 2, 8}) {
    const json test = search(program, {}, jobs, 0);
    EXPECT_EQ(test["verdict"], "exhausted");
    EXPECT_TRUE(test["complete"]);
  }
}

TEST_F(WorkersTest, RunAsManyExecutionsAsTheyMay) {
  const std::string program = counter(6);
  for (const char* strategy : {"dfs", "pct", "random", "surw", "dpor"}) {
    const json test = search(program, {"--strategy", strategy, "--executions", "200001"}, 4, 0);
    EXPECT_EQ(test["executions"], 200001) << strategy;
  }
}

TEST_F(WorkersTest, EndWithTheTime) {
  const std::string program = counter(9);
  for (const char* strategy : {"dfs", "icb", "dpor", "auto", "random"}) {
    const json test = check({program, "--strategy", strategy, "--time", "1", "--jobs", "4"}, 0)["tests"][0];
    EXPECT_EQ(test["verdict"], "inconclusive") << strategy;
    EXPECT_GT(test["workers"], 1) << strategy;
    EXPECT_LT(test["seconds"], 5) << strategy;
  }
}

// In order of cost the first bug is one that costs least, whoever comes to it.
TEST_F(WorkersTest, FindTheSimplestBug) {
  const std::string program = build(write("deep.cpp", R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x, y;
int main() {
  auto work = [] { for (int i = 0; i < 12; ++i) y = y + 1; };
  std::thread a([&] { work(); x = 1; x = 2; x = 3; work(); });
  std::thread b([&] { work(); int p = x; int q = x; work(); assert(p != 1 || q != 3); });
  std::thread c(work);
  a.join();
  b.join();
  c.join();
}
)"));
  const json one = search(program, {"--strategy", "icb"}, 1, 1);
  const json four = search(program, {"--strategy", "icb"}, 4, 1);
  for (const json& test : {one, four}) {
    ASSERT_EQ(test["bugs"].size(), 1U);
    EXPECT_EQ(test["bugs"][0]["preemptions"], 2);
    EXPECT_EQ(test["bugs"][0]["preemptions_minimal"], "proved");
  }
  EXPECT_GT(four["workers"], 1);
}

TEST_F(WorkersTest, ExploreRacesTogether) {
  const std::string program = build(write("late_race.cpp", R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> y;
int plain;
int main() {
  auto work = [](int rounds) { for (int i = 0; i < rounds; ++i) y = y + 1; };
  std::thread a([&] { work(5); if (y == 4) plain = plain + 1; });
  std::thread b([&] { work(5); if (y == 4) plain = plain + 1; });
  a.join();
  b.join();
  assert(plain != 1 || y != 4);
}
)"));
  const std::vector<std::string> words = {"--strategy", "dpor", "--races", "explore", "--keep-going"};
  const json one = search(program, words, 1, 1);
  const json several = search(program, words, 4, 1);
  EXPECT_EQ(outcome_of(one, false)["bugs"], outcome_of(several, false)["bugs"]);
  EXPECT_EQ(one["verdict"], several["verdict"]);
}

TEST_F(WorkersTest, AreOneProcessWithOneSetOfFilesToTheProgram) {
  write("letters", "abcdef");
  const std::string program = build(write("files.cpp", R"(
#include <atomic>
#include <cassert>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
std::atomic<int> x;
int main() {
  const pid_t me = getpid();
  const int file = open("letters", O_RDONLY);
  assert(file >= 0 && lseek(file, 2, SEEK_SET) == 2);
  auto work = [] { for (int i = 0; i < 5; ++i) x = x + 1; };
  std::thread a(work), b(work);
  char letters[2] = {};
  assert(read(file, letters, 2) == 2 && letters[0] == 'c' && letters[1] == 'd');
  a.join();
  b.join();
  assert(getpid() == me && read(file, letters, 2) == 2 && letters[0] == 'e');
}
)"));
  const json test = search(program, {"--strategy", "dfs"}, 2, 0);
  EXPECT_EQ(test["verdict"], "exhausted") << test["reason"];
  EXPECT_EQ(test["workers"], 2);
}

TEST_F(WorkersTest, AreOneWhereExecutionsMakeFiles) {
  const std::string program = build(write("makes.cpp", R"(
#include <atomic>
#include <cassert>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
std::atomic<int> x;
int main() {
  auto work = [] { for (int i = 0; i < 5; ++i) x = x + 1; };
  std::thread a(work), b(work);
  a.join();
  b.join();
  if (x != 9) return 0;  // in some only
  const int file = open("made", O_CREAT | O_EXCL | O_RDWR, 0600);
  assert(file >= 0 && write(file, "x", 1) == 1);
  close(file);
}
)"));
  const json one = search(program, {"--strategy", "dfs"}, 1, 0);
  const json two = search(program, {"--strategy", "dfs"}, 2, 0);
  EXPECT_EQ(outcome_of(one, true), outcome_of(two, true));
  EXPECT_EQ(two["one_worker"], "its executions make files");
  EXPECT_FALSE(fs::exists(path("made")));
}

// The hundred workers are any: those that search, that wait, that have just begun, that stay for another
// part, and copies that sleep. Where the machine is fast, the search ends before all are killed, and begins
// again.
TEST_F(WorkersTest, AreKilledAHundredTimes) {
  struct SearchCase {
    std::vector<std::string> words;
    std::string program;
    bool by_cost;
    int kills;
  };
  std::vector<SearchCase> searches = {
      {{"--strategy", "icb", "--bound", "preemptions=6", "--count-classes"}, counter(6), true, 60},
      {{"--strategy", "dpor"}, counter(5), false, 40}};
  if (has_solver()) searches.push_back({{"--strategy", "mcr"}, unlocked(6), false, 20});
  for (const auto& [words, program, by_cost, kills] : searches) {
    const json undisturbed = search(program, words, 2, 0);
    std::vector<std::string> arguments = {"check",  program, "--time", "0",
                                          "--jobs", "2",     "--json", path("result.json")};
    arguments.insert(arguments.end(), words.begin(), words.end());
    std::mt19937 random(1);
    int told = 0;  // by the results
    for (int killed = 0; killed < kills;) {
      const pid_t process = start(arguments);
      ASSERT_GT(process, 0);
      int status = 0;
      pid_t ended = 0;
      while (killed < kills && (ended = waitpid(process, &status, WNOHANG)) == 0) {
        usleep(static_cast<useconds_t>(random() % 60'000));
        const std::vector<pid_t> workers = children_of(process);
        if (workers.empty()) continue;
        if (kill(workers[random() % workers.size()], SIGKILL) == 0) ++killed;
      }
      if (ended == 0) waitpid(process, &status, 0);
      ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << " after " << killed;
      const json disturbed = json::parse(read(path("result.json")))["tests"][0];
      EXPECT_EQ(outcome_of(undisturbed, by_cost), outcome_of(disturbed, by_cost)) << disturbed["reason"];
      told += disturbed.value("workers_killed", 0);
    }
    EXPECT_GT(told, 0) << words[1];
  }
}

TEST_F(WorkersTest, TakePartAfterPart) {
  const pid_t process = start({"check", counter(5), "--strategy", "dpor", "--time", "0", "--jobs", "2"});
  ASSERT_GT(process, 0);
  std::set<pid_t> workers;
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    for (pid_t worker : children_of(process)) workers.insert(worker);
    usleep(1000);
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_GT(workers.size(), 1U);
  EXPECT_LT(workers.size(), 9U);  // with a process for each part there are dozens
}

TEST_F(WorkersTest, GoOnFromACheckpoint) {
  std::vector<std::pair<const char*, std::string>> searches = {
      {"dpor", counter(5)}, {"icb", counter(5)}, {"dfs", counter(5)}};
  if (has_solver()) searches.emplace_back("mcr", unlocked(6));
  for (const auto& [strategy, program] : searches) {
    const json once = search(program, {"--strategy", strategy}, 2, 0);
    fs::remove(path("checkpoint"));
    std::vector<std::string> words = {"check",  program,        "--strategy",
                                      strategy, "--checkpoint", path("checkpoint")};
    for (int round = 0; round < 3; ++round) {
      words.insert(words.end(), {"--checkpoint-interval", "0.1", "--time", "0", "--jobs", "2"});
      const pid_t process = start(words);
      ASSERT_GT(process, 0);
      usleep(400'000);
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
      words = {"check", "--resume", path("checkpoint")};
    }
    const json rest = check({"--resume", path("checkpoint"), "--time", "0", "--jobs", "2"}, 0)["tests"][0];
    const bool by_cost = std::string(strategy) == "icb" || std::string(strategy) == "dfs";
    EXPECT_EQ(outcome_of(once, by_cost), outcome_of(rest, by_cost)) << strategy;
  }
}

TEST_F(WorkersTest, DieWithTheSupervisor) {
  const std::string program = counter(9);
  const pid_t process = start({"check", program, "--strategy", "dfs", "--time", "0", "--jobs", "4"});
  std::vector<pid_t> workers;
  for (int i = 0; i < 500 && workers.size() < 4; ++i) {
    usleep(10'000);
    workers = children_of(process);
  }
  EXPECT_GE(workers.size(), 4U);
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  auto lives = [](pid_t worker) { return fs::exists("/proc/" + std::to_string(worker) + "/maps"); };
  for (int i = 0; i < 500 && std::any_of(workers.begin(), workers.end(), lives); ++i) usleep(10'000);
  EXPECT_TRUE(std::none_of(workers.begin(), workers.end(), [](pid_t worker) {
    return !EndToEnd::read("/proc/" + std::to_string(worker) + "/cmdline").empty();
  }));
}

}  // namespace
