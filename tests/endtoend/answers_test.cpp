// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a check answers by default where it cannot go through all schedules, and what it says beside a race.
#include <filesystem>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

class Answers : public EndToEnd {};

constexpr const char* kQueue = R"(
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>
std::mutex m;
std::condition_variable not_full, not_empty;
std::deque<int> items;
void push(int item) {
  std::unique_lock lock(m);
  not_full.wait(lock, [] { return items.size() < 2; });
  items.push_back(item);
  not_empty.notify_one();
}
int pop() {
  std::unique_lock lock(m);
  not_empty.wait(lock, [] { return !items.empty(); });
  const int item = items.front();
  items.pop_front();
  not_full.notify_one();
  return item;
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([] { for (int k = 0; k < 4; ++k) push(k); });
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([] { for (int k = 0; k < 6; ++k) pop(); });
  for (std::thread& thread : threads) thread.join();
}
)";

// Five threads have too many places for one preemption in a short time, and few for one delay.
TEST_F(Answers, NameABoundAndTheNextCommand) {
  const std::string program = build(write("queue.cpp", kQueue));
  const json test = check({program, "--executions", "20000", "--time", "0"}, 0)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  bool has_delays = false;
  for (const json& bound : test["guarantee"]["bounds"])
    has_delays = has_delays || (bound["kind"] == "delays" && !bound["completed"].is_null());
  EXPECT_TRUE(has_delays) << test["guarantee"];
  EXPECT_NE(test["guarantee"]["text"].get<std::string>().find("delay"), std::string::npos)
      << test["guarantee"];
  const std::string next = test["next"];
  EXPECT_NE(next.find("--executions 200000"), std::string::npos) << next;
  EXPECT_NE(next.find("queue"), std::string::npos) << next;
}

TEST_F(Answers, NameNoNextCommandWhereAllIsDone) {
  const std::string program =
      build(write("done.cpp", "#include <thread>\nint main() { std::thread([] {}).join(); }\n"));
  EXPECT_FALSE(check({program}, 0)["tests"][0].contains("next"));
}

constexpr const char* kRace = R"(
#include <cassert>
#include <thread>
int count;
int main() {
  std::thread other([] { count = count + 1; });
  count = count + 1;
  other.join();
  assert(count == 2 || HOLDS);
}
)";

TEST_F(Answers, SayWhatARaceLeadsTo) {
  std::string text = kRace;
  text.replace(text.find("HOLDS"), 5, "false");
  const std::string program = build(write("race.cpp", text));
  const json test = check({program}, 1)["tests"][0];
  ASSERT_EQ(test["bugs"].size(), 1u);
  const json& bug = test["bugs"][0];
  EXPECT_EQ(bug["kind"], "data-race");
  ASSERT_TRUE(bug.contains("leads_to")) << bug;
  EXPECT_EQ(bug["leads_to"]["kind"], "assertion");
  const std::string trace = bug["leads_to"]["trace"];
  ASSERT_FALSE(trace.empty());
  EXPECT_EQ(thrum({"replay", trace}).exit_code, 1);
  EXPECT_FALSE(check({program, "--no-leads-to"}, 1)["tests"][0]["bugs"][0].contains("leads_to"));
}

TEST_F(Answers, SayThatARaceLeadsToNothing) {
  std::string text = kRace;
  text.replace(text.find("HOLDS"), 5, "true");
  const json bug = check({build(write("harmless.cpp", text))}, 1)["tests"][0]["bugs"][0];
  EXPECT_EQ(bug["kind"], "data-race");
  ASSERT_TRUE(bug.contains("leads_to")) << bug;
  EXPECT_FALSE(bug["leads_to"].contains("kind")) << bug;
  EXPECT_GT(bug["leads_to"]["executions"], 0);
}

constexpr const char* kWait = R"(
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex mutex;
std::condition_variable condition;
bool done;
int main() {
  std::thread worker([] {
    std::lock_guard lock(mutex);
    done = true;
    condition.notify_one();
  });
  bool in_time;
  {
    std::unique_lock lock(mutex);
    in_time = condition.wait_for(lock, std::chrono::LENGTH, [] { return done; });
  }
  worker.join();
  assert(in_time);
}
)";

TEST_F(Answers, RestOnHowEarlyTimeOutsMayExpire) {
  std::string text = kWait;
  text.replace(text.find("LENGTH"), 6, "seconds(2)");
  const std::string program = build(write("wait.cpp", text));
  EXPECT_EQ(check({program}, 1)["tests"][0]["bugs"][0]["kind"], "assertion");
  for (const char* limit : {"0", "1"}) {
    const json test = check({program, "--early-timeouts", limit}, 0)["tests"][0];
    EXPECT_EQ(test["verdict"], "exhausted") << limit;
    bool named = false;
    for (const json& assumption : test["guarantee"]["assumptions"])
      named = named || assumption["kind"] == "late-timeouts";
    EXPECT_TRUE(named) << limit;
  }
}

// Pairs whose threads meet at one lock: each pair's order is free, whichever way main leaves.
constexpr const char* kPairs = R"(
#include <pthread.h>
#define PAIRS 3
static pthread_mutex_t locks[PAIRS];
static int cells[PAIRS];
static void* add(void* which) {
  const long i = (long)which;
  pthread_mutex_lock(&locks[i]);
  ++cells[i];
  pthread_mutex_unlock(&locks[i]);
  return 0;
}
int main(void) {
  pthread_t threads[2 * PAIRS];
  for (int i = 0; i < PAIRS; i++) pthread_mutex_init(&locks[i], 0);
  for (int i = 0; i < 2 * PAIRS; i++) pthread_create(&threads[i], 0, add, (void*)(long)(i / 2));
  LEAVE
}
)";

TEST_F(Answers, CountEachClassOnceHoweverMainLeaves) {
  const std::pair<const char*, const char*> ways[] = {
      {"joins", "for (int i = 0; i < 2 * PAIRS; i++) pthread_join(threads[i], 0); return 0;"},
      {"exits", "pthread_exit(0);"},
      {"joins_some", "pthread_join(threads[0], 0); pthread_exit(0);"}};
  for (const auto& [name, leave] : ways) {
    std::string text = kPairs;
    text.replace(text.find("LEAVE"), 5, leave);
    const std::string program = build(write(std::string(name) + ".c", text));
    const json test = check({program, "--strategy", "dpor", "--count-classes", "--jobs", "1"}, 0)["tests"][0];
    EXPECT_EQ(test["executions"], 8) << name;
    EXPECT_EQ(test["happens_before_classes"], 8) << name;
  }
}

}  // namespace
