// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --checkpoint and --resume: a search that was put down, or killed, comes to the same as one that was not.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "endtoend.hpp"

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Two threads that do so much to a counter each, under a lock and without one.
constexpr const char* kCounters = R"(
#include <atomic>
#include <mutex>
#include <thread>
std::atomic<int> counter;
std::mutex lock;
int main() {
  auto work = [] {
    for (int i = 0; i < ROUNDS; ++i) counter = counter + 1;
    std::lock_guard guard(lock);
    ++counter;
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
)";

// Fails in different ways, at different places.
constexpr const char* kBugs = R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x, y, z;
int main() {
  std::thread a([] { x = 1; y = 1; z = 1; assert(y != 3); });
  std::thread b([] { y = y + 2; assert(x != 1 || z != 1 || y != 2); z = 5; assert(z == 5); });
  x = 2;
  a.join();
  b.join();
  assert(x == 1);
}
)";

class CheckpointTest : public EndToEnd {
 protected:
  std::string counters(int rounds) {
    std::string text = kCounters;
    text.replace(text.find("ROUNDS"), 6, std::to_string(rounds));
    return build(write("counters.cpp", text));
  }
  std::string file() const { return path("checkpoint"); }

  // Another one with each checkpoint.
  std::string version() const {
    struct stat status {};
    if (stat(file().c_str(), &status) != 0) return {};
    return std::to_string(status.st_ino) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
           std::to_string(status.st_mtim.tv_nsec);
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(path("")))
      names.insert(entry.path().filename().string());
    return names;
  }

  // A check in pieces of so many executions; the last one's test.
  json in_pieces(std::vector<std::string> arguments, std::uint64_t piece, std::uint64_t all, int exit_code) {
    std::uint64_t done = std::min(piece, all);
    auto limited = [&] {
      return std::vector<std::string>{"--executions", std::to_string(done), "--time", "0"};
    };
    arguments.insert(arguments.end(), {"--checkpoint", file()});
    for (const std::string& word : limited()) arguments.push_back(word);
    json test = check(arguments, done < all ? 0 : exit_code)["tests"][0];
    while (done < all) {
      EXPECT_EQ(test["executions"], done);
      done = std::min(done + piece, all);
      std::vector<std::string> again = {"--resume", file()};
      for (const std::string& word : limited()) again.push_back(word);
      const json result = check(again, -1);
      test = result["tests"][0];
    }
    return test;
  }
  json check(const std::vector<std::string>& arguments, int exit_code) {
    if (exit_code >= 0) return EndToEnd::check(arguments, exit_code);
    std::vector<std::string> words = {"check", "--json", "result.json"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    last_ = thrum(words);
    EXPECT_TRUE(last_.exit_code == 0 || last_.exit_code == 1) << last_.errors;
    return json::parse(read(path("result.json")));
  }

  ChildResult last_;
};

// What a search says but for the time it took.
json outcome_of(json test) {
  for (const char* field : {"seconds", "search_memory", "reason", "verdict", "next"}) test.erase(field);
  for (json& bug : test["bugs"]) bug.erase("seconds");
  for (json& level : test["statistics"]["levels"]) level.erase("completed_seconds"), level.erase("completed");
  for (json& point : test["statistics"]["growth"]) point.erase("seconds");
  for (json& strategy : test["statistics"]["strategies"]) strategy.erase("seconds");
  json& statistics = test["statistics"];
  if (statistics.contains("unfolding")) statistics["unfolding"].erase("bytes");  // the room of its lists
  // A search that ends tells of its last execution too.
  test["statistics"].erase("growth");
  return test;
}

TEST_F(CheckpointTest, PiecesAreTheWhole) {
  const std::string program = counters(2);
  const std::vector<std::vector<std::string>> searches = {
      {"--strategy", "icb", "--count-classes"},
      {"--strategy", "icb", "--coverage", "local-states"},
      {"--strategy", "dpor", "--coverage", "local-states"},
      {"--strategy", "dpor", "--coverage", "values"},
      {"--strategy", "dfs"},
      {"--strategy", "icb", "--bound", "delays=2"},
      {"--strategy", "auto"},
      {"--strategy", "dpor"},
      {"--strategy", "race-flip"},
      {"--strategy", "unfolding"},
      {"--strategy", "unfolding-replicated"},
      {"--strategy", "bpor", "--bound", "preemptions=2"},
      {"--strategy", "best-first", "--priority", "mdpor"},
      {"--strategy", "best-first", "--priority", "rand", "--seed", "3", "--bound", "preemptions=2"},
      {"--strategy", "best-first-dpor"},
      {"--strategy", "best-first-dpor", "--priority", "rand", "--seed", "3"}};
  for (std::vector<std::string> search : searches) {
    search.insert(search.begin(), program);
    search.push_back("--trace-digest");
    std::vector<std::string> whole = search;
    whole.insert(whole.end(), {"--time", "0"});
    const json once = check(whole, 0)["tests"][0];
    const std::uint64_t executions = once["executions"];
    ASSERT_GT(executions, 30U);
    const json pieces = in_pieces(search, executions / 3, executions + 1, 0);
    EXPECT_EQ(outcome_of(once), outcome_of(pieces)) << search[2];
    EXPECT_EQ(once["verdict"], pieces["verdict"]);
  }
}

// An execution whose branches wait for attempts is saved with the search.
TEST_F(CheckpointTest, WhatWaitingLoopsAskForIsAskedAgain) {
  const std::string program = build(write("lock.cpp", R"(
#include <atomic>
#include <thread>
std::atomic<int> taken, counter;
int main() {
  auto work = [] {
    do {
      while (taken.load() != 0) {
      }
    } while (taken.exchange(1) != 0);
    counter = counter + 1;
    taken = 0;
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
}
)"));
  std::vector<std::string> search = {program, "--strategy", "best-first-dpor", "--jobs", "1"};
  const json once = check(search, 0)["tests"][0];
  search.insert(search.end(), {"--checkpoint", file(), "--executions", "1"});
  json pieces = check(search, 0)["tests"][0];
  for (int done = 2; done < 200 && pieces["verdict"] == "inconclusive"; ++done)
    pieces = check({"--resume", file(), "--executions", std::to_string(done)}, 0)["tests"][0];
  EXPECT_EQ(pieces["verdict"], "exhausted");
  EXPECT_EQ(pieces["executions"], once["executions"]);
  EXPECT_EQ(pieces["statistics"]["classes"], once["statistics"]["classes"]);
}

// The length of the channel's number moves no object. Stacks begin at multiples of 16 bytes, so all lengths
// are tried.
TEST_F(CheckpointTest, WhateverElseIsOpen) {
  const std::string program = counters(1);
  for (std::size_t length = 0; length < 16; ++length) {
    setenv("PADDING", std::string(length, 'x').c_str(), 1);
    check({program, "--strategy", "dpor", "--checkpoint", file(), "--executions", "4"}, 0);
    std::vector<int> open;
    for (int i = 0; i < 20; ++i) open.push_back(dup(STDIN_FILENO));
    EXPECT_EQ(check({"--resume", file()}, 0)["tests"][0]["verdict"], "exhausted") << length;
    for (int descriptor : open) close(descriptor);
  }
  unsetenv("PADDING");
}

TEST_F(CheckpointTest, RandomisedSearchesGoOnWithTheirDraws) {
  const std::string program = counters(2);
  for (const char* strategy : {"random", "pct", "pos", "surw", "urw"}) {
    const std::vector<std::string> search = {program,  "--strategy", strategy,
                                             "--seed", "5",          "--trace-digest"};
    std::vector<std::string> whole = search;
    whole.insert(whole.end(), {"--executions", "300", "--time", "0"});
    const json once = check(whole, 0)["tests"][0];
    EXPECT_EQ(outcome_of(once), outcome_of(in_pieces(search, 100, 300, 0))) << strategy;
  }
}

TEST_F(CheckpointTest, BugsThatWereFoundAreReportedToo) {
  const std::string program = build(write("bugs.cpp", kBugs));
  const json once = check({program, "--keep-going", "--jobs", "1", "--time", "0"}, 1)["tests"][0];
  ASSERT_GT(once["bugs"].size(), 1U);
  const std::uint64_t executions = once["executions"];
  ASSERT_EQ(check({program, "--keep-going", "--jobs", "1", "--checkpoint", file(), "--executions", "20"},
                  1)["tests"][0]["executions"],
            20);
  const json on = check({"--resume", file(), "--jobs", "1", "--executions", std::to_string(executions / 2)},
                        1)["tests"][0];
  EXPECT_EQ(on["executions"], executions / 2);
  const json rest = check({"--resume", file(), "--jobs", "1"}, 1)["tests"][0];
  EXPECT_EQ(outcome_of(once), outcome_of(rest));
  // What has come to its end is told again.
  EXPECT_EQ(outcome_of(once), outcome_of(check({"--resume", file(), "--jobs", "1"}, 1)["tests"][0]));
}

// A file for the fringe, and plans in it, are part of the state.
TEST_F(CheckpointTest, WhatWasSpilledIsThere) {
  const std::string program = counters(3);
  const std::vector<std::string> search = {program, "--strategy",     "best-first",      "--priority",
                                           "rand",  "--trace-digest", "--search-memory", "64K"};
  std::vector<std::string> whole = search;
  whole.insert(whole.end(), {"--executions", "6000", "--time", "0"});
  const json once = check(whole, 0)["tests"][0];
  ASSERT_GT(once["search_memory"]["spilled"], 0);
  EXPECT_EQ(outcome_of(once), outcome_of(in_pieces(search, 2500, 6000, 0)));
}

// What a restart of the search has learned stays known.
TEST_F(CheckpointTest, AfterTheSearchHasBegunAnew) {
  const std::string program = build(write("races.cpp", R"(
#include <thread>
int x, y;
int main() {
  std::thread a([] { x = 1; y = 1; y = 2; });
  std::thread b([] { x = 2; y = 3; });
  a.join();
  b.join();
}
)"));
  const std::vector<std::string> search = {program, "--races", "explore", "--keep-going", "--jobs", "1"};
  const json once = check(search, 1)["tests"][0];
  std::vector<std::string> first = search;
  first.insert(first.end(), {"--checkpoint", file(), "--executions"});
  first.push_back(std::to_string(once["executions"].get<int>() - 3));
  check(first, 1);
  EXPECT_EQ(outcome_of(once), outcome_of(check({"--resume", file(), "--jobs", "1"}, 1)["tests"][0]));
}

TEST_F(CheckpointTest, WithALibraryThatIsLoaded) {
  const std::string program = build(write("loads.cpp", R"(
#include <dlfcn.h>
#include <atomic>
#include <thread>
std::atomic<int> x;
int main() {
  auto work = [] {
    void* library = dlopen("./libanswer.so", RTLD_NOW);
    x = x + reinterpret_cast<int (*)()>(dlsym(library, "answer"))();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
)"));
  auto make_library = [&](const std::string& answer) {
    write("answer.cpp", "extern \"C\" int answer() { return " + answer + "; }\n");
    EXPECT_EQ(thrum({"c++", "-shared", "-fPIC", "answer.cpp", "-o", "libanswer.so"}).exit_code, 0);
  };
  make_library("42");
  const json once = check({program, "--trace-digest"}, 0)["tests"][0];
  check({program, "--trace-digest", "--checkpoint", file(), "--executions", "4"}, 0);
  EXPECT_EQ(outcome_of(once), outcome_of(check({"--resume", file()}, 0)["tests"][0]));
  check({program, "--trace-digest", "--checkpoint", file(), "--executions", "4"}, 0);
  make_library("7");
  const ChildResult result = thrum({"check", "--resume", file()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("libanswer.so is another one than it was then"), std::string::npos)
      << result.errors;
}

TEST_F(CheckpointTest, BothHeaps) {
  const std::string program = counters(2);
  json once = check({program, "--heap", "both", "--jobs", "1", "--time", "0"}, 0)["tests"][0];
  const std::uint64_t half = once["executions"].get<std::uint64_t>() / 2;
  check({program, "--heap", "both", "--jobs", "1", "--checkpoint", file(), "--executions",
         std::to_string(half / 2)},
        0);
  json rest = check({"--resume", file(), "--jobs", "1", "--time", "0"}, 0)["tests"][0];
  EXPECT_EQ(rest["executions"], once["executions"]);
  EXPECT_EQ(rest["verdict"], "exhausted");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(rest["guarantee"]["heaps"][i]["executions"], half);
    EXPECT_EQ(rest["guarantee"]["heaps"][i]["verdict"], "exhausted");
  }
}

// Killed at any moment: the supervisor, whose worker dies with it, or the worker alone.
TEST_F(CheckpointTest, KilledAgainAndAgain) {
  const std::string program = counters(4);
  const std::vector<std::string> search = {program, "--strategy", "dfs", "--trace-digest", "--time", "0"};
  const json once = check(search, 0)["tests"][0];
  const std::set<std::string> before = files();
  std::vector<std::string> words = {"check", "--checkpoint", file(), "--checkpoint-interval", "0"};
  words.insert(words.end(), search.begin(), search.end());
  int killed = 0;
  for (int round = 0; round < 10; ++round) {
    std::string last = version();
    const pid_t process = start(words);
    ASSERT_GT(process, 0);
    // Until there were one to three further checkpoints, the first of them from before the search.
    bool ended = false;
    for (int seen = 0; seen <= round % 3 && !ended; usleep(100)) {
      ended = waitpid(process, nullptr, WNOHANG) == process;
      if (std::string now = version(); now != last) {
        last = std::move(now);
        ++seen;
      }
    }
    if (!ended) {
      ++killed;
      const std::vector<pid_t> workers = round % 2 == 1 ? children_of(process) : std::vector<pid_t>();
      kill(workers.empty() ? process : workers[0], SIGKILL);
      waitpid(process, nullptr, 0);
    }
    words = {"check", "--resume", file(), "--checkpoint-interval", "0", "--time", "0"};
  }
  EXPECT_GT(killed, 0);
  const json rest = check({"--resume", file(), "--time", "0"}, 0)["tests"][0];
  EXPECT_EQ(outcome_of(once), outcome_of(rest));
  std::set<std::string> after = files();
  after.erase("checkpoint");
  EXPECT_EQ(before, after);
}

TEST_F(CheckpointTest, WrongUseIsOneLine) {
  const std::string program = counters(1);
  auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "check");
    const ChildResult result = thrum(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  };
  refused({"--resume", file()}, "No such file");
  refused({"--resume", program}, "is no checkpoint");
  refused({program, "--checkpoint", program}, "is there already, and is no checkpoint");
  refused({program, "--checkpoint", "/no/such/folder/file"}, "cannot be written");
  refused({program, "--checkpoint", file(), "--repeat", "2"}, "--repeat");
  refused({program, "--checkpoint", file(), "--list-tests"}, "--list-tests");
  check({program, "--checkpoint", file(), "--executions", "3", "--strategy", "dfs"}, 0);
  refused({"--resume", file(), "--strategy", "icb"}, "--strategy was given otherwise then");
  refused({"--resume", file(), "--leaks"}, "--leaks was given otherwise then");
  refused({"--resume", file(), "--fair", "off"}, "--fair was given otherwise then");
  refused({"--resume", file(), "--", "argument"}, "other arguments");
  const std::string other = build(write("other.cpp", "int main() {}\n"));
  refused({"--resume", file(), other}, "is another program than it was then");
  const std::string bytes = read(file());
  std::ofstream(file()) << bytes.substr(0, bytes.size() - 1);
  refused({"--resume", file()}, "is damaged");
}

}  // namespace
