// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs of signals, timers and cancellation: replayed by the same operations from other processes, on both
// kinds of threads, and told in words.
#include <filesystem>
#include <string>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;

struct Case {
  const char* program;  // below tests/programs/wrong
  const char* words;    // in the report
};

constexpr Case kCases[] = {
    {"signal/pthread_kill.c", "handles SIGUSR1"},
    {"signal/kill_process.c", "sends SIGUSR2 to the process"},
    {"signal/default_action.c", "killed by SIGTERM"},
    {"signal/pause.c", "waits for a signal"},
    {"signal/sigtimedwait.c", "timeout"},
    {"timer/alarm.c", "timer expires: SIGALRM"},
    {"timer/watchdog.c", "killed by SIGALRM"},
    {"timer/thread.c", "timer expires"},
    {"cancel/asynchronous.c", "cancels 0.1"},
    {"cancel/swallowed.cpp", "exception not rethrown"},
};

class Signals : public EndToEnd, public testing::WithParamInterface<Case> {
 protected:
  void expect_same(const ChildResult& result) {
    EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
    EXPECT_NE(result.output.find("the same failure again, by the same operations"), std::string::npos)
        << result.output;
  }
};

TEST_P(Signals, AreReplayedAndTold) {
  std::string program = build(THRUM_SOURCES "/tests/programs/wrong/" + std::string(GetParam().program));
  ChildResult found = thrum({"check", program});
  EXPECT_EQ(found.exit_code, 1) << found.errors;
  EXPECT_NE(found.output.find(GetParam().words), std::string::npos) << found.output;
  std::string trace = path("thrum-out/bug-1.trace.json");
  expect_same(thrum({"replay", trace}));
  expect_same(run({THRUM_PROGRAM, "replay", trace}, "/", {"THRUM_TEST_FILLER=" + std::string(5000, 'x')}));
  expect_same(thrum({"replay", trace, "--threads", "system"}));
  expect_same(run({DENY_CALL, "personality", THRUM_PROGRAM, "replay", trace}, path("")));
}

TEST_P(Signals, AreTheSameOnSystemThreads) {
  std::string program = build(THRUM_SOURCES "/tests/programs/wrong/" + std::string(GetParam().program));
  auto search = [&](const char* threads) {
    nlohmann::json test = check({program, "--keep-going", "--bound", "preemptions=2", "--executions", "2000",
                                 "--trace-digest", "--threads", threads},
                                1)["tests"][0];
    return std::pair(test["executions"], test["trace_digest"]);
  };
  EXPECT_EQ(search("fibers"), search("system"));
}

INSTANTIATE_TEST_SUITE_P(Wrong, Signals, testing::ValuesIn(kCases), [](const auto& parameter) {
  fs::path program(parameter.param.program);
  return program.parent_path().string() + "_" + program.stem().string();
});

// A program whose timer goes off again and again ends in seconds, with its true verdict.
TEST_F(EndToEnd, ATimerSignalIsNoHindrance) {
  std::string source = write("ticks.cpp", R"(
#include <atomic>
#include <csignal>
#include <sys/time.h>
#include <thread>
std::atomic<int> ticks{0}, done{0};
int main() {
  std::signal(SIGALRM, [](int) { ++ticks; });
  itimerval every = {{0, 10000}, {0, 10000}};
  setitimer(ITIMER_REAL, &every, nullptr);
  std::thread worker([] { ++done; });
  worker.join();
  while (ticks == 0) {}
  itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  return done == 1 ? 0 : 1;
}
)");
  nlohmann::json result = check({source, "--bound", "preemptions=2"}, 0);
  EXPECT_EQ(result["verdict"], "exhausted");
  EXPECT_EQ(result["tests"][0]["guarantee"]["bounds"][0]["completed"], 2);
}

}  // namespace
