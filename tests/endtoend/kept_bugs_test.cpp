// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bug that was seen is in the result, whatever becomes of the search: workers are killed and stopped at
// random moments, and the time ends.
//
//   THRUM_DISTURBED_SEARCHES   so many searches (by default fewer)
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include "endtoend.hpp"

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Each execution that is about to fail first says so to who reads the pipe.
constexpr const char* kAnnouncesFailures = R"(
#include <fcntl.h>
#include <unistd.h>
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> count, order;
int main(int, char** arguments) {
  const int pipe = open(arguments[1], O_WRONLY | O_NONBLOCK);
  auto work = [](int number) {
    for (int i = 0; i < 4; ++i) {
      count.store(count.load() + 1);
      if (i == 2) order.store(order.load() * 4 + number);
    }
  };
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join();
  b.join();
  c.join();
  if (order == 3 * 16 + 2 * 4 + 1 && count == 7) {
    if (write(pipe, "x", 1) < 0) return 0;
    assert(!"seen");
  }
}
)";

class KeptBugs : public EndToEnd {};

// Takes all bytes out of the pipe; how many they were.
long drain(int pipe) {
  char bytes[4096];
  long all = 0;
  for (long got = 0; (got = ::read(pipe, bytes, sizeof bytes)) > 0;) all += got;
  return all;
}

TEST_F(KeptBugs, AreInTheResultWhateverEndsTheSearch) {
  const char* wanted = std::getenv("THRUM_DISTURBED_SEARCHES");
  const int searches = wanted ? std::atoi(wanted) : 16;
  const std::string program = build(write("program.cpp", kAnnouncesFailures));
  const std::string name = path("pipe");
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  const int pipe = open(name.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(pipe, 0);
  std::mt19937 random(1);
  int seen = 0;
  int disturbed = 0;
  for (int i = 0; i < searches; ++i) {
    const char* strategies[] = {"auto", "icb", "dpor", "random", "pct"};
    const std::string strategy = strategies[random() % std::size(strategies)];
    const std::string time = std::to_string(0.2 + static_cast<double>(random() % 1000) / 1000);
    const int jobs = 1 + static_cast<int>(random() % 2);
    const bool goes_on = random() % 2 == 0;
    std::vector<std::string> words = {"check",      program,
                                      "--strategy", strategy,
                                      "--time",     time,
                                      "--jobs",     std::to_string(jobs),
                                      "--json",     path("result.json"),
                                      "--seed",     std::to_string(i + 1)};
    if (goes_on) words.push_back("--keep-going");
    words.insert(words.end(), {"--", name});
    fs::remove(path("result.json"));
    const pid_t process = start(words);
    ASSERT_GT(process, 0);
    int status = 0;
    // Killed once or twice, stopped for good, stopped for a moment, or left alone until the time ends.
    for (int blows = static_cast<int>(random() % 3); blows > 0; --blows) {
      usleep(static_cast<useconds_t>(random() % 400'000));
      const std::vector<pid_t> workers = children_of(process);
      if (workers.empty()) continue;
      const pid_t worker = workers[random() % workers.size()];
      ++disturbed;
      switch (random() % 3) {
        case 0: kill(worker, SIGKILL); break;
        case 1: kill(worker, SIGSTOP); break;
        default:
          kill(worker, SIGSTOP);
          usleep(static_cast<useconds_t>(random() % 300'000));
          kill(worker, SIGCONT);
      }
    }
    waitpid(process, &status, 0);
    // Of each worker one execution may have been cut off between its byte and its failure.
    const bool has_failed = drain(pipe) > jobs;
    ASSERT_TRUE(WIFEXITED(status)) << status;
    const json test = json::parse(read(path("result.json")))["tests"][0];
    const std::string what = strategy + ", " + std::to_string(jobs) + " workers, --time " + time +
                             ", --seed " + std::to_string(i + 1) + ": " + test["reason"].get<std::string>();
    if (!has_failed && test["bugs"].empty()) continue;
    ++seen;
    ASSERT_FALSE(test["bugs"].empty()) << what;
    EXPECT_EQ(WEXITSTATUS(status), 1) << what;
    for (const json& bug : test["bugs"])
      EXPECT_EQ(bug["kind"], "assertion") << bug["message"] << ", " << what;
  }
  close(pipe);
  std::cout << seen << " of " << searches << " searches saw the bug, " << disturbed << " blows\n";
  EXPECT_GT(seen, searches / 3);
}

// A lock on a stack frame that its function has left holds whatever was written there since, such as a holder
// who is no thread.
constexpr const char* kLeftFrame = R"(
#include <semaphore.h>
#include <atomic>
#include <mutex>
#include <string_view>
#include <thread>

struct Event {
  std::atomic<bool> set{false};
  std::mutex mutex;
  sem_t semaphore;
};

// What an uninstrumented library leaves on the stack.
static __attribute__((noinline, no_sanitize("thread"))) void scribble(unsigned word) {
  volatile unsigned words[1 << 13];
  for (int i = 0; i < 1 << 13; ++i) words[i] = word;
}

template <class Use>
static __attribute__((noinline)) void begin(std::thread& worker, Use use) {
  Event event;
  sem_init(&event.semaphore, 0, 1);
  worker = std::thread([&event, use] {
    event.set = true;
    use(event);
  });
  while (!event.set) std::this_thread::yield();
}
// The event lies so deep in the stack that the frames of main's later calls do not reach it.
template <class Use>
static __attribute__((noinline)) void begin_deep(std::thread& worker, Use use) {
  char room[1 << 13];
  asm volatile("" : : "r"(room) : "memory");
  begin(worker, use);
  asm volatile("" : : "r"(room) : "memory");
}
template <class Use>
static void leave(unsigned word, Use use) {
  std::thread worker;
  begin_deep(worker, use);
  scribble(word);
  worker.join();
}

static void run_mutex() {
  leave(0xBFD4000D, [](Event& event) { std::lock_guard guard(event.mutex); });
}
static void run_small() {
  leave(1, [](Event& event) { std::lock_guard guard(event.mutex); });
}
static void run_semaphore() {
  leave(0, [](Event& event) { sem_wait(&event.semaphore); });
}
int main(int, char** arguments) {
  const std::string_view which = arguments[1];
  if (which == "mutex") run_mutex();
  if (which == "small") run_small();
  if (which == "semaphore") run_semaphore();
}
)";

TEST_F(KeptBugs, AreTellableThoughTheirMemoryIsInRuins) {
  const std::string program = build(write("left_frame.cpp", kLeftFrame));
  for (const char* which : {"mutex", "small", "semaphore"}) {
    const json test = check({program, "--strategy", "icb", "--", which}, 1)["tests"][0];
    ASSERT_FALSE(test["bugs"].empty()) << which;
    EXPECT_EQ(test["bugs"][0]["kind"], "deadlock") << which;
  }
}

}  // namespace
