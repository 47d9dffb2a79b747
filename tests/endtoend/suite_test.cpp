// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --suite: the schedules that show every state of each thread, written by a check and run by replays.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <random>

#include "endtoend.hpp"
#include "schema.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Two threads, each of which may see the other's stores or not. WRONG: one state is a failure. FEWER,
// OTHER: a thread does less than the suite knows of, or something else. ENDS: one state ends the process.
constexpr const char* kTwoThreads = R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x, y;
int main() {
  std::thread a([] {
#ifdef FEWER
    return;
#endif
    x = 1;
    int seen = y;
#ifdef WRONG
    assert(seen != 2);
#endif
    (void)seen;
  });
  std::thread b([] {
#ifdef OTHER
    y.exchange(1);
#else
    y = 1;
#endif
    y = 2;
    int seen = x;
#ifdef ENDS
    if (seen == 0) _Exit(3);
#endif
    (void)seen;
  });
  a.join();
  b.join();
}
)";

class SuiteTest : public EndToEnd {
 protected:
  // Compiles the program again, at the same path.
  std::string two_threads(const std::string& define = "X") {
    std::string text = kTwoThreads;
    return build(write("two.cpp", "#define " + define + "\n" + text));
  }

  // A program with many schedules.
  std::string many(int rounds) {
    return build(write("many.cpp", "constexpr int kRounds = " + std::to_string(rounds) + R"(;
#include <atomic>
#include <thread>
std::atomic<int> x, y;
int main() {
  std::thread a([] { for (int i = 0; i < kRounds; ++i) x = x + y; });
  std::thread b([] { for (int i = 0; i < kRounds; ++i) y = x + y; });
  int seen = x + y;
  a.join();
  b.join();
  (void)seen;
}
)"));
  }

  // Checks with --suite and returns what the result says of it.
  json record(const std::string& program, int exit_code, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"--strategy", "unfolding", "--suite", "two.suite", program};
    words.insert(words.end(), more.begin(), more.end());
    return check(words, exit_code)["suite"];
  }

  // Runs the suite, and returns the result as JSON.
  json replay(int exit_code, const std::vector<std::string>& more = {},
              const std::string& suite = "two.suite") {
    std::vector<std::string> words = {"replay", suite, "--json", "replay.json"};
    words.insert(words.end(), more.begin(), more.end());
    fs::remove(path("replay.json"));
    last_ = thrum(words);
    EXPECT_EQ(last_.exit_code, exit_code) << last_.output << last_.errors;
    json result = json::parse(read(path("replay.json")), nullptr, false);
    if (result.is_discarded()) {
      ADD_FAILURE() << "no JSON: " << last_.output << last_.errors;
      return {};
    }
    const json schema = json::parse(read(std::string(THRUM_SOURCES) + "/docs/replay.schema.json"));
    EXPECT_EQ(schema_violation(schema, result), "");
    return result;
  }

  void expect_said(const std::string& phrase) {
    EXPECT_NE(last_.output.find(phrase), std::string::npos) << last_.output;
  }

  void expect_refused(const std::vector<std::string>& arguments, const std::string& phrase) {
    const ChildResult result = thrum(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_NE(result.errors.find(phrase), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }

  ChildResult last_;
};

TEST_F(SuiteTest, PassesAsLongAsTheProgramDoes) {
  const std::string program = two_threads();
  const json suite = record(program, 0);
  EXPECT_EQ(suite["file"], "two.suite");
  EXPECT_EQ(suite["exhausted"], true);
  const std::uint64_t schedules = suite["schedules"];
  EXPECT_GE(schedules, 3U);
  const std::string text = read(path("two.suite"));
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')), schedules + 2);
  EXPECT_NE(text.find("\"program\":\"" + program + "\""), std::string::npos);

  const json result = replay(0);
  EXPECT_EQ(result["verdict"], "passed");
  EXPECT_EQ(result["schedules"], schedules);
  EXPECT_EQ(result["run"], schedules);
  EXPECT_EQ(result["exhausted"], true);
  EXPECT_EQ(result["changed"], json::array());
  expect_said(std::to_string(schedules) + " schedules pass");
  EXPECT_EQ(last_.output.find("exhausted"), std::string::npos) << last_.output;

  // Once more with its threads as system threads, and from another directory.
  EXPECT_EQ(replay(0, {"--threads", "system"})["run"], schedules);
  const ChildResult elsewhere = run({THRUM_PROGRAM, "replay", path("two.suite")}, "/");
  EXPECT_EQ(elsewhere.exit_code, 0) << elsewhere.output << elsewhere.errors;
}

TEST_F(SuiteTest, ANewBuildThatDoesTheSamePasses) {
  record(two_threads(), 0);
  two_threads("UNUSED 1");
  EXPECT_EQ(replay(0)["changed"], json::array());
}

TEST_F(SuiteTest, FindsTheBugOfANewBuild) {
  const std::uint64_t schedules = record(two_threads(), 0)["schedules"];
  two_threads("WRONG");
  const json result = replay(1);
  EXPECT_EQ(result["verdict"], "bug");
  EXPECT_EQ(result["bug"]["kind"], "assertion");
  const std::uint64_t number = result["bug"]["schedule"];
  EXPECT_GE(number, 1U);
  EXPECT_LE(number, schedules);
  EXPECT_EQ(result["run"], number);
  const std::string alone = "thrum replay two.suite --schedule " + std::to_string(number);
  EXPECT_EQ(result["bug"]["replay"], alone);
  expect_said(alone);
  expect_said("assertion");

  // That schedule alone shows the same.
  const std::string report = last_.output.substr(0, last_.output.find("replay: "));
  const json one = replay(1, {"--schedule", std::to_string(number)});
  EXPECT_EQ(one["run"], 1);
  EXPECT_EQ(one["bug"], result["bug"]);
  EXPECT_EQ(last_.output.substr(0, last_.output.find("replay: ")), report);
  if (number > 1) {
    EXPECT_EQ(replay(0, {"--schedule", "1"})["verdict"], "passed");
  }
}

TEST_F(SuiteTest, KeepsSchedulesThatFailed) {
  const json suite = record(two_threads("WRONG"), 1, {"--keep-going"});
  EXPECT_GT(suite["schedules"], 1);
  EXPECT_EQ(replay(1)["verdict"], "bug");
  two_threads();
  EXPECT_EQ(replay(0)["verdict"], "passed");
}

TEST_F(SuiteTest, NamesTheSchedulesThatDepart) {
  const std::uint64_t schedules = record(two_threads(), 0)["schedules"];
  two_threads("FEWER");
  const json result = replay(3);
  EXPECT_EQ(result["verdict"], "departed");
  EXPECT_EQ(result["run"], schedules);
  ASSERT_FALSE(result["departed"].empty());
  const json& first = result["departed"][0];
  EXPECT_NE(first["text"].get<std::string>().find("any more"), std::string::npos) << first;
  expect_said(std::to_string(result["departed"].size()) + " of " + std::to_string(schedules) +
              " schedules depart");
  expect_said(std::to_string(first["schedule"].get<int>()) + ": " + first["text"].get<std::string>());
  const json alone = replay(3, {"--schedule", std::to_string(first["schedule"].get<int>())});
  EXPECT_EQ(alone["departed"], json::array({first}));
}

// A schedule can be followed although its threads do other operations.
TEST_F(SuiteTest, TellsOfOtherOperations) {
  const std::uint64_t schedules = record(two_threads(), 0)["schedules"];
  two_threads("OTHER");
  const json result = replay(0);
  EXPECT_EQ(result["changed"].size(), schedules);
  expect_said("by other operations than when the suite was made: 1, 2");
  expect_said("may not show all states");
}

TEST_F(SuiteTest, SaysThatTheSearchWasNotExhausted) {
  const json suite = record(two_threads(), 0, {"--executions", "2"});
  EXPECT_EQ(suite["exhausted"], false);
  EXPECT_NE(read(path("two.suite")).find("\"exhausted\":false"), std::string::npos);
  const json result = replay(0);
  EXPECT_EQ(result["exhausted"], false);
  expect_said("was not exhausted");
}

TEST_F(SuiteTest, AWorkerThatDiesIsABugOfItsSchedule) {
  record(two_threads(), 0);
  two_threads("ENDS");
  const json result = replay(1);
  EXPECT_EQ(result["verdict"], "bug");
  EXPECT_EQ(result["bug"]["kind"], "nonzero-exit");
  // One that no handler sees: the process is killed.
  std::string text = kTwoThreads;
  text.replace(text.find("_Exit(3)"), 8,
               "asm volatile(\"mov $231, %%eax; mov $5, %%edi; syscall\" ::: \"rax\", \"rdi\")");
  build(write("two.cpp", "#define ENDS\n" + text));
  EXPECT_EQ(replay(1)["verdict"], "bug");
}

TEST_F(SuiteTest, OfAProgramWithoutChoices) {
  const auto source = [&](const char* body) {
    return build(write("two.cpp", std::string("#include <cstdlib>\nint main() {") + body + "}\n"));
  };
  EXPECT_EQ(record(source(""), 0)["schedules"], 1);
  EXPECT_EQ(replay(0)["run"], 1);
  source("std::abort();");
  EXPECT_EQ(replay(1)["bug"]["schedule"], 1);
  two_threads();
  EXPECT_EQ(replay(0)["changed"], json::array({1}));
  record(two_threads(), 0);
  source("");
  EXPECT_EQ(replay(3)["verdict"], "departed");
}

TEST_F(SuiteTest, FromSources) {
  write("two.cpp", kTwoThreads);
  EXPECT_EQ(record("two.cpp", 0)["exhausted"], true);
  replay(0);
  std::string text = kTwoThreads;
  write("two.cpp", "#define WRONG\n" + text);
  EXPECT_EQ(replay(1)["verdict"], "bug");
}

// Each test of a program has a section, and a process of its own.
TEST_F(SuiteTest, OfSeveralTests) {
  const auto program = [&](const char* condition) {
    return build(write("two.cpp", std::string(R"(
#include <atomic>
#include <cassert>
#include <thread>
#include <thrum/thrum.hpp>
int main() {
  thrum::check("first", [] {
    std::atomic<int> x = 0;
    std::thread a([&] { x = 1; });
    int seen = x;
    a.join();
    (void)seen;
  });
  thrum::check("second", [] {
    std::atomic<int> x = 0;
    std::thread a([&] { x = 1; x = 2; });
    int seen = x;
    a.join();
    assert()") + condition + ");\n  });\n}\n"));
  };
  const json suite = record(program("seen >= 0"), 0);
  EXPECT_EQ(suite["schedules"], 5);
  EXPECT_EQ(replay(0)["run"], 5);
  program("seen != 1");
  const json result = replay(1);
  EXPECT_EQ(result["bug"]["test"], "second");
  EXPECT_GT(result["bug"]["schedule"], 2);
  replay(1, {"--schedule", std::to_string(result["bug"]["schedule"].get<int>())});
}

TEST_F(SuiteTest, OfWaitingThreads) {
  const std::string program = build(write("two.cpp", R"(
#include <atomic>
#include <mutex>
#include <condition_variable>
#include <thread>
std::atomic<int> flag, seen;
std::mutex m;
std::condition_variable changed;
bool ready;
int main() {
  std::thread a([] {
    while (flag == 0) {}
    seen = 1;
    std::unique_lock lock(m);
    changed.wait(lock, [] { return ready; });
  });
  seen = 2;
  flag = 1;
  { std::lock_guard lock(m); ready = true; }
  changed.notify_one();
  a.join();
}
)"));
  const json suite = record(program, 0);
  EXPECT_EQ(suite["exhausted"], true);
  EXPECT_EQ(replay(0)["changed"], json::array());
  for (int number = 1; number <= suite["schedules"]; ++number)
    EXPECT_EQ(replay(0, {"--schedule", std::to_string(number)})["changed"], json::array()) << number;
}

TEST_F(SuiteTest, RunsManySchedulesInOneProcess) {
  const std::uint64_t schedules = record(many(4), 0)["schedules"];
  EXPECT_GT(schedules, 4'000U);
  EXPECT_EQ(replay(0, {"--progress", "always"})["run"], schedules);
}

// What a worker has recorded that was killed is recorded again, once.
TEST_F(SuiteTest, IsTheSameIfWorkersAreKilled) {
  const std::string program = many(4);
  record(program, 0);
  const std::string undisturbed = read(path("two.suite"));
  std::mt19937 random(1);
  int killed = 0;
  for (int times = 0; times < 20 && killed < 3; ++times) {
    fs::remove(path("two.suite"));
    const pid_t process = start({"check", "--strategy", "unfolding", "--suite", "two.suite", program});
    ASSERT_GT(process, 0);
    usleep(static_cast<useconds_t>(random() % 200'000));
    for (const pid_t worker : children_of(process)) killed += kill(worker, SIGKILL) == 0 ? 1 : 0;
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(read(path("two.suite")) == undisturbed) << times;
  }
  EXPECT_GT(killed, 0);
}

TEST_F(SuiteTest, OfAnInterruptedSearchIsWritten) {
  const std::string program = many(6);
  const pid_t process = start({"check", "--strategy", "unfolding", "--suite", "two.suite", program});
  ASSERT_GT(process, 0);
  while (children_of(process).empty()) usleep(10'000);
  usleep(500'000);
  EXPECT_FALSE(fs::exists(path("two.suite"))) << "it is not whole";
  kill(process, SIGINT);
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  const json result = replay(0);
  EXPECT_GT(result["run"], 0);
  EXPECT_EQ(result["exhausted"], false);
}

// A leak is a bug as some schedules do not have it, and that takes the others.
TEST_F(SuiteTest, OfALeak) {
  const std::string program =
      build(std::string(THRUM_SOURCES) + "/tests/programs/wrong/leaks/only_in_some_schedules.cpp");
  record(program, 1, {"--keep-going"});
  const json result = replay(1);
  EXPECT_EQ(result["bug"]["kind"], "leak");
  const std::string number = std::to_string(result["bug"]["schedule"].get<int>());
  EXPECT_EQ(result["bug"]["replay"], "thrum replay two.suite --schedule " + number + " --leaks");
  EXPECT_EQ(replay(1, {"--schedule", number, "--leaks"})["bug"], result["bug"]);
  EXPECT_EQ(replay(0, {"--schedule", number})["verdict"], "passed");
}

// A bug that is no state of one thread belongs to the suite all the same.
TEST_F(SuiteTest, OfADataRace) {
  const std::string program = build(write("two.cpp", R"(
#include <atomic>
#include <thread>
std::atomic<int> first;
int plain;
int main() {
  std::thread a([] { plain = 1; first = 1; });
  std::thread b([] { if (first == 0) plain = 2; });
  a.join();
  b.join();
}
)"));
  record(program, 1, {"--keep-going"});
  EXPECT_EQ(replay(1)["bug"]["kind"], "data-race");
}

TEST_F(SuiteTest, OfBothHeaps) {
  const std::string program = build(write("two.cpp", R"(
#include <atomic>
#include <thread>
std::atomic<int*> shared;
int main() {
  std::thread a([] { delete shared.exchange(new int(1)); });
  delete new int(2);
  delete shared.exchange(nullptr);
  a.join();
  delete shared.load();
}
)"));
  const std::uint64_t one = record(program, 0)["schedules"];
  EXPECT_EQ(record(program, 0, {"--heap", "both"})["schedules"], 2 * one);
  EXPECT_EQ(replay(0)["run"], 2 * one);
}

// Only what the failed schedule prints is shown.
TEST_F(SuiteTest, ShowsTheOutputOfAFailure) {
  const auto program = [&](const char* end) {
    return build(write("two.cpp", std::string(R"(
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
std::atomic<int> x;
int main() {
  std::thread a([] { std::puts("from the thread"); x = 1; });
  if (x == 0) )") + end + ";\n  a.join();\n}\n"));
  };
  record(program("std::puts(\"early\")"), 0);
  replay(0);
  EXPECT_EQ(last_.output.find("from the thread"), std::string::npos) << last_.output;
  program("std::puts(\"early\"), std::abort()");
  replay(1);
  expect_said("early\n");
}

TEST_F(SuiteTest, ToStandardOutput) {
  record(two_threads(), 0);
  const ChildResult result = thrum({"replay", "two.suite", "--json", "-"});
  EXPECT_EQ(json::parse(result.output)["verdict"], "passed");
  two_threads("WRONG");
  const ChildResult wrong = thrum({"replay", "two.suite", "--json", "-"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(json::parse(wrong.output)["verdict"], "bug");
}

// A trace file has a result, too.
TEST_F(SuiteTest, OneTraceHasAResult) {
  check({two_threads("WRONG")}, 1);
  const std::string trace = "thrum-out/bug-1.trace.json";
  const json again = replay(1, {}, trace);
  EXPECT_EQ(again["verdict"], "bug");
  EXPECT_EQ(again["bug"]["kind"], "assertion");
  two_threads();
  EXPECT_EQ(replay(0, {}, trace)["verdict"], "passed");
  expect_refused({"replay", trace, "--schedule", "1"}, "is no suite");
}

TEST_F(SuiteTest, WrongUseIsTold) {
  const std::string program = two_threads();
  const auto refused = [&](std::vector<std::string> words, const std::string& phrase) {
    words.insert(words.begin(), "check");
    words.push_back(program);
    expect_refused(words, phrase);
  };
  refused({"--suite", "s"}, "--suite: it takes --strategy unfolding, and not auto");
  refused({"--suite", "s", "--strategy", "dpor"}, "and not dpor");
  refused({"--suite", "s", "--strategy", "unfolding", "--bound", "yields=3"}, "bound");
  refused({"--suite", "s", "--strategy", "unfolding", "--bound", "preemptions=3"}, "bound");
  refused({"--suite", "s", "--strategy", "unfolding", "--races", "explore"}, "--races explore");
  refused({"--suite", "s", "--strategy", "unfolding", "--checkpoint", "c"}, "--checkpoint");
  refused({"--suite", "s", "--strategy", "unfolding", "--repeat", "2"}, "--repeat");
  refused({"--suite", "s", "--strategy", "unfolding", "--list-tests"}, "--list-tests");
  write("other", "what somebody wrote\n");
  refused({"--suite", "other", "--strategy", "unfolding"}, "is there already, and is no suite");
  EXPECT_EQ(read(path("other")), "what somebody wrote\n");
  refused({"--suite", "other/below", "--strategy", "unfolding"},
          "the suite cannot be written: Not a directory");
  refused({"--suite", "none/below", "--strategy", "unfolding"}, "No such file");
  refused({"--suite", ".", "--strategy", "unfolding"}, "is no file that can be replaced");
  refused({"--suite", "/dev/null", "--strategy", "unfolding"}, "is no file that can be replaced");
  EXPECT_FALSE(fs::exists(path("s")));
}

TEST_F(SuiteTest, DamagedSuitesAreRefused) {
  const std::string program = two_threads();
  const std::uint64_t schedules = record(program, 0)["schedules"];
  const std::string text = read(path("two.suite"));
  for (std::size_t part = 1; part < 8; ++part) {
    write("cut.suite", text.substr(0, text.size() * part / 8));
    expect_refused({"replay", "cut.suite"}, "cut.suite: the suite is damaged or not whole");
  }
  std::string damaged = text;
  damaged.replace(damaged.find("finished "), 9, "finished-");
  write("damaged.suite", damaged);
  expect_refused({"replay", "damaged.suite"}, "damaged.suite: the suite is damaged or not whole");
  expect_refused({"replay", "two.suite", "--schedule", std::to_string(schedules + 1)},
                 "--schedule: two.suite has " + std::to_string(schedules) + " schedules");
  expect_refused({"show", "two.suite"}, "is a suite");
  // An older suite is replaced, and the program may be gone.
  record(program, 0);
  EXPECT_EQ(read(path("two.suite")), text);
  fs::remove(program);
  expect_refused({"replay", "two.suite"}, "No such file");
}

}  // namespace
