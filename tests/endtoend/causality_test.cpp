// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --strategy mcr on programs: what it finds, with how few executions, and what it says of that.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

// In each order each thread reads 0.
constexpr const char* kLeavesAsItWas = R"(
#include <cassert>
#include <mutex>
#include <thread>
std::mutex mutex;
int inside;
int main() {
  auto enter = [] {
    std::lock_guard lock(mutex);
    ++inside;
    assert(inside == 1);
    --inside;
  };
  std::thread one(enter), other(enter);
  one.join();
  other.join();
}
)";

constexpr const char* kUpdateIsLost = R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> counter;
int main() {
  auto add = [] {
    int before = counter;
    counter = before + 1;
  };
  std::thread one(add), other(add);
  one.join();
  other.join();
  assert(counter == 2);
}
)";

// Each thread adds some to a counter, and no update is atomic.
constexpr const char* kUnlockedCounters = R"(
#include <atomic>
#include <mutex>
#include <thread>
std::atomic<int> counter;
std::mutex lock;
int sum;
int main() {
  auto work = [] {
    for (int i = 0; i < ROUNDS; ++i) counter = counter + 1;
    std::lock_guard guard(lock);
    ++sum;
  };
  std::thread one(work), other(work);
  one.join();
  other.join();
}
)";

constexpr const char* kLocksCrossed = R"(
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

// No thread by itself shows the race, which is there in few orders only.
constexpr const char* kRaceBehindFlags = R"(
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

// The flag is relaxed: with that no order of the accesses makes the race go away.
constexpr const char* kRelaxedFlag = R"(
#include <atomic>
#include <thread>
std::atomic<int> flag;
int data;
int main() {
  std::thread one([] { data = 1; flag.store(1, std::memory_order_relaxed); });
  std::thread other([] { if (flag.load(std::memory_order_relaxed) == 1) data = 2; });
  one.join();
  other.join();
}
)";

constexpr const char* kRaisesSignal = R"(
#include <csignal>
#include <thread>
int main() {
  std::thread one([] { std::raise(SIGUSR1); });
  std::signal(SIGUSR1, SIG_IGN);
  one.join();
}
)";

// In each order of the sections each thread does the same, as long as nobody looks at the memory.
constexpr const char* kFreedUnderLock = R"(
#include <mutex>
#include <thread>
std::mutex mutex;
int main() {
  int* block = new int(0);
  std::thread user([block] { std::lock_guard lock(mutex); ACCESS; });
  std::thread owner([block] { std::lock_guard lock(mutex); delete block; });
  user.join();
  owner.join();
}
)";

// Who comes last frees it: nobody uses it behind that.
constexpr const char* kCounted = R"(
#include <atomic>
#include <thread>
struct Counted { std::atomic<int> users{2}; int value = 0; };
int main() {
  auto* counted = new Counted;
  auto use = [counted] { if (counted->users.fetch_sub(1) == 1) delete counted; };
  std::thread one(use), other(use);
  one.join();
  other.join();
}
)";

// Nothing but the flag says whether the block is there.
constexpr const char* kFreedBehindFlag = R"(
#include <atomic>
#include <thread>
std::atomic<bool> is_free;
int main() {
  int* block = new int(0);
  std::thread owner([block] { delete block; is_free = true; });
  std::thread user([block] { if (is_free) *block = 1; });
  owner.join();
  user.join();
}
)";

// All read the same in each order. If one thread comes first, the other one learns of what it writes by its
// second section; but by the first one nobody does, though it is in the same step.
constexpr const char* kRaceBehindSections = R"(
#include <thrum/thrum.hpp>
#include <thread>
int inside, other_inside, data;
int main() {
  std::thread one([] {
    {
      const thrum::AtomicSection section;
      inside = 1;
    }
    data = 1;
    const thrum::AtomicSection section;
    inside = 2;
  });
  std::thread other([] {
    {
      const thrum::AtomicSection section;
      other_inside = 1;
    }
    data = 2;
  });
  one.join();
  other.join();
}
)";

// The kernel's read of the word is no atomic load, so the fence behind it acquires nothing. The mutex does,
// if the first thread comes first.
constexpr const char* kRaceBehindFutexWait = R"(
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <thread>
std::atomic<int> word;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int data;
int main() {
  std::thread one([] {
    data = 1;
    word.store(1, std::memory_order_release);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  });
  std::thread other([] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    if (syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0) == 0) return;
    std::atomic_thread_fence(std::memory_order_acquire);
    data = 2;
  });
  one.join();
  other.join();
}
)";

// Many orders of stores that nobody can tell apart, and BEFORE each of them.
constexpr const char* kSameStores = R"(
#include <atomic>
#include <thread>
#include <vector>
std::atomic<int> flag;
int main() {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int j = 0; j < 3; ++j) {
        BEFORE;
        flag = 1;
      }
    });
  for (std::thread& thread : threads) thread.join();
}
)";

std::string same_stores(const std::string& before) {
  std::string text = kSameStores;
  return text.replace(text.find("BEFORE"), 6, before);
}

// With such stores beside them: one thread has to be stopped five times, and the other one as often.
constexpr const char* kInOneOrder = R"(
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>
std::atomic<int> flag, x;
int main() {
  std::vector<std::thread> threads;
  threads.reserve(6);
  threads.emplace_back([] { for (int i = 1; i <= 12; ++i) x = i; });
  threads.emplace_back([] {
    for (int wanted : {1, 4, 5, 7, 11}) if (x != wanted) return;
    assert(false);
  });
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] { for (int j = 0; j < 3; ++j) flag = 1; });
  for (std::thread& thread : threads) thread.join();
}
)";

class Causality : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    if (!has_solver()) GTEST_SKIP() << "this build has no solver";
  }

  json search(const char* text, int code, const char* strategy = "mcr") {
    build_program(text);
    return check(words({"--jobs", "1"}, strategy), code)["tests"][0];
  }
  void build_program(const std::string& text) {
    const std::string source = write("program.cpp", text);
    EXPECT_EQ(thrum({"c++", "-std=c++20", "-O1", "-g", source, "-o", "program"}).exit_code, 0);
  }
  void build_counters(int rounds) {
    std::string text = kUnlockedCounters;
    text.replace(text.find("ROUNDS"), 6, std::to_string(rounds));
    build_program(text);
  }
  std::vector<std::string> words(const std::vector<std::string>& more, const char* strategy = "mcr") const {
    std::vector<std::string> all = {path("program"), "--strategy", strategy, "--statistics"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(Causality, RunsWhatReadsOtherValuesOnly) {
  const json test = search(kLeavesAsItWas, 0);
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_EQ(test["complete"], false);
  EXPECT_EQ(test["guarantee"]["covers"], json({"local-states", "deadlocks", "data-races"}));
  EXPECT_EQ(test["executions"], 1);
  EXPECT_EQ(test["statistics"]["decisions"]["undecided"], 0);
  EXPECT_GT(test["statistics"]["decisions"]["states"], 0);
  EXPECT_EQ(test["statistics"]["solver"]["unknown"], 0);
}

TEST_F(Causality, FindsAFailedAssertion) {
  const json test = search(kUpdateIsLost, 1);
  ASSERT_EQ(test["bugs"].size(), 1u);
  EXPECT_EQ(test["bugs"][0]["kind"], "assertion");
  EXPECT_EQ(test["bugs"][0]["preemptions"], 1) << "its schedule is made simple as any other";
}

TEST_F(Causality, AsksForDeadlocks) {
  const json test = search(kLocksCrossed, 1);
  ASSERT_EQ(test["bugs"].size(), 1u);
  EXPECT_EQ(test["bugs"][0]["kind"], "deadlock");
}

TEST_F(Causality, AsksForDataRaces) {
  for (const char* text : {kRaceBehindFlags, kRelaxedFlag, kRaceBehindSections, kRaceBehindFutexWait}) {
    const json test = search(text, 1);
    ASSERT_EQ(test["bugs"].size(), 1u);
    EXPECT_EQ(test["bugs"][0]["kind"], "data-race");
  }
}

TEST_F(Causality, AsksForUsesOfFreedMemory) {
  const std::pair<const char*, const char*> kinds[] = {
      {"*block = 1", "use-after-free"},
      {"*block = 0", "use-after-free"},
      {"if (*block == 0) std::this_thread::yield()", "use-after-free"},
      {"delete block", "double-free"}};
  for (const auto& [access, kind] : kinds) {
    std::string text = kFreedUnderLock;
    text.replace(text.find("ACCESS"), 6, access);
    const json test = search(text.c_str(), 1);
    ASSERT_EQ(test["bugs"].size(), 1u) << access;
    EXPECT_EQ(test["bugs"][0]["kind"], kind) << access;
  }
  EXPECT_EQ(search(kFreedBehindFlag, 1)["bugs"][0]["kind"], "use-after-free");
}

// The states are few. Where a use of freed memory is among them, and where there is none, nobody is asked.
TEST_F(Causality, LooksForUsesOfFreedMemoryAmongTheStates) {
  std::string text = kFreedUnderLock;
  text.replace(text.find("ACCESS"), 6, "*block = 1");
  for (const auto& [program, code] : {std::pair(text.c_str(), 1), std::pair(kCounted, 0)}) {
    const json test = search(program, code);
    EXPECT_EQ(test["bugs"].size(), code == 1 ? 1u : 0u);
    EXPECT_EQ(test["statistics"]["solver"]["queries"], 0) << test["statistics"];
    EXPECT_GT(test["statistics"]["decisions"]["states"], 0);
  }
}

TEST_F(Causality, FindsNoUseOfFreedMemoryWhereThereIsNone) {
  EXPECT_EQ(search(kCounted, 0)["verdict"], "exhausted");
}

TEST_F(Causality, NamesWhatItDoesNotCover) {
  const json test = search(kRaisesSignal, 3);
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_NE(test["reason"].get<std::string>().find("signal"), std::string::npos) << test["reason"];
}

TEST_F(Causality, IsSavedAndGoesOn) {
  build_counters(2);
  const json once = check(words({"--jobs", "1"}), 0)["tests"][0];
  ASSERT_GT(once["executions"], 10);
  json test = check(words({"--checkpoint", path("saved"), "--executions", "3"}), 0)["tests"][0];
  for (int executions = 6; executions < 200 && test["verdict"] == "inconclusive"; executions += 3)
    test = check({"--resume", path("saved"), "--executions", std::to_string(executions)}, 0)["tests"][0];
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_EQ(test["guarantee"]["covers"], once["guarantee"]["covers"]);
  EXPECT_EQ(test["statistics"]["decisions"], once["statistics"]["decisions"]);
}

// Not even for the trees.
TEST_F(Causality, EndsWhereItHasTooLittleMemory) {
  build_counters(4);
  const json test = check(words({"--jobs", "1", "--search-memory", "1K"}), 3)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_NE(test["reason"].get<std::string>().find("--search-memory"), std::string::npos) << test["reason"];
}

// Whatever the solver is at.
TEST_F(Causality, GoesOnWhereTheTimeEnded) {
  build_counters(40);
  std::int64_t before = 0;
  std::vector<std::string> search = words({"--jobs", "1", "--checkpoint", path("saved"), "--time", "1"});
  for (int i = 0; i < 3; ++i) {
    const json result = check(search, 0);
    const json& test = result["tests"][0];
    EXPECT_EQ(test["verdict"], "inconclusive");
    EXPECT_NE(test["reason"].get<std::string>().find("the time ended"), std::string::npos) << test["reason"];
    EXPECT_GE(test["executions"], before);
    EXPECT_EQ(result["checkpoint"]["can_go_on"], true) << result["checkpoint"];
    before = test["executions"];
    search = {"--resume", path("saved"), "--time", std::to_string(i + 2)};
  }
}

std::int64_t executions_of(const json& test, const char* strategy) {
  for (const json& own : test["statistics"]["strategies"]) {
    if (own["name"] == strategy) return own["executions"];
  }
  return 0;
}

// While dpor has begun with millions of classes.
TEST_F(Causality, EndsAuto) {
  const std::string text = same_stores("");
  const json test = search(text.c_str(), 0, "auto");
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_EQ(test["guarantee"]["covers"], json({"local-states", "deadlocks", "data-races"}));
  EXPECT_EQ(executions_of(test, "mcr"), 1);
  EXPECT_LT(test["executions"], 2'000);
  const json by_two = check(words({"--jobs", "2"}, "auto"), 0)["tests"][0];
  EXPECT_EQ(by_two["verdict"], "exhausted");
  EXPECT_GE(executions_of(by_two, "mcr"), 1);
}

// It is not saved, and begins again.
TEST_F(Causality, EndsAutoThatWasSaved) {
  const std::string text = same_stores("");
  build_program(text);
  const json first = check(words({"--checkpoint", path("saved"), "--executions", "1000"}, "auto"), 0);
  EXPECT_EQ(first["tests"][0]["verdict"], "inconclusive");
  const json test = check({"--resume", path("saved"), "--executions", "20000"}, 0)["tests"][0];
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_GE(executions_of(test, "mcr"), 1);
}

// By default a block is used again, and an address may mean either. The search ends with the others then.
TEST_F(Causality, EndsAutoOnlyWhereNoBlockIsUsedAgain) {
  const std::string text = same_stores("int* volatile own = new int; delete own");
  build_program(text);
  const json test = check(words({"--jobs", "1", "--executions", "20000"}, "auto"), 0)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_EQ(executions_of(test, "mcr"), 1);
  const json fresh =
      check(words({"--jobs", "1", "--executions", "20000", "--heap", "fresh"}, "auto"), 0)["tests"][0];
  EXPECT_EQ(fresh["verdict"], "exhausted");
}

TEST_F(Causality, TakesNoPartInAutoWhereRacesAreIgnored) {
  build_program(kInOneOrder);
  const json test =
      check(words({"--jobs", "1", "--executions", "5000", "--races", "ignore"}, "auto"), 0)["tests"][0];
  EXPECT_EQ(executions_of(test, "mcr"), 0);
}

// The same one in the same execution each time.
TEST_F(Causality, FindsABugForAutoThatReplays) {
  const json test = search(kInOneOrder, 1, "auto");
  ASSERT_EQ(test["bugs"].size(), 1u);
  const json& bug = test["bugs"][0];
  EXPECT_EQ(bug["kind"], "assertion");
  EXPECT_EQ(bug["strategy"], "mcr") << bug;
  const json again = check(words({"--jobs", "1"}, "auto"), 1)["tests"][0];
  EXPECT_EQ(again["executions"], test["executions"]);
  EXPECT_EQ(again["statistics"]["decisions"], test["statistics"]["decisions"]);
  EXPECT_EQ(thrum({"replay", "thrum-out/bug-1.trace.json"}).exit_code, 1);
}

// It finds what it finds, and claims nothing.
TEST_F(Causality, TheSearchAsItWasPublishedClaimsNothing) {
  const json correct = search(kLeavesAsItWas, 3, "mcr-classic");
  EXPECT_EQ(correct["verdict"], "inconclusive");
  EXPECT_EQ(correct["complete"], false);
  EXPECT_EQ(correct["executions"], 1);
  EXPECT_NE(correct["reason"].get<std::string>().find("may miss values"), std::string::npos)
      << correct["reason"];
  const json wrong = search(kUpdateIsLost, 1, "mcr-classic");
  EXPECT_GT(wrong["statistics"]["solver"]["sat"], 0);
  ASSERT_EQ(wrong["bugs"].size(), 1u);
  EXPECT_EQ(wrong["bugs"][0]["kind"], "assertion");
}

// By their lines in the program. What libraries read has none here.
TEST_F(Causality, ListsDecisions) {
  const std::string source = write("program.cpp", kLeavesAsItWas);
  const auto decisions_of = [&](const char* text, int code) {
    write("program.cpp", text);
    EXPECT_EQ(thrum({"c++", "-std=c++20", "-O1", "-g", source, "-o", "program"}).exit_code, 0);
    const json test =
        check({path("program"), "--strategy", "mcr", "--decisions", "--keep-going", "--jobs", "1"},
              code)["tests"][0];
    return json(test["statistics"]["decisions"]);
  };
  const auto read_at = [](const json& decisions, int line) {
    json found;
    for (const json& read : decisions["reads"]) {
      if (read["line"] != line) continue;
      EXPECT_TRUE(found.is_null()) << decisions;
      found = read;
    }
    return found;
  };
  const json alike = decisions_of(kLeavesAsItWas, 0);
  EXPECT_EQ(alike["unreachable"], alike["places"]);
  EXPECT_EQ(alike["undecided_places"], json::array());
  const json inside = read_at(alike, 10);
  EXPECT_EQ(inside["object"], "inside");
  EXPECT_EQ(inside["threads"], json({"0.1", "0.2"}));
  EXPECT_EQ(inside["values"], json::array({"0"}));

  const json lost = decisions_of(kUpdateIsLost, 1);
  const json before = read_at(lost, 8);
  EXPECT_EQ(before["object"], "counter");
  EXPECT_EQ(before["values"], json({"0", "1"}));
  EXPECT_EQ(before["undecided"], 0);
  const json end = read_at(lost, 14);
  EXPECT_EQ(end["threads"], json::array({"0"}));
  EXPECT_EQ(end["values"], json({"1", "2"}));
}

// What is not covered may write other values.
TEST_F(Causality, LeavesDecisionsOpenWhereItClaimsNothing) {
  const std::string source = write("program.cpp", kRaisesSignal);
  EXPECT_EQ(thrum({"c++", "-std=c++20", "-O1", "-g", source, "-o", "program"}).exit_code, 0);
  const json test =
      check({path("program"), "--strategy", "mcr", "--decisions", "--jobs", "1"}, 3)["tests"][0];
  EXPECT_EQ(test["statistics"]["decisions"]["unreachable"], 0);
}

// An order of two threads that no value depends on. In the other order, the second one does too late what it
// does.
struct Ordered {
  const char* first;   // what main does, behind the creation of the thread and under a lock
  const char* second;  // what the thread does
  const char* bug;     // of the other order; "": none
};

class CausalityInOneOrder : public Causality, public testing::WithParamInterface<Ordered> {};

TEST_P(CausalityInOneOrder, AsksForTheOther) {
  const std::string text = std::string(R"(
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <thrum/thrum.h>
#include <atomic>
struct Block {
  sem_t s;
  pthread_mutex_t m;
  int value;
};
Block* p;
sem_t s;
std::atomic<int> x;
pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;
void* run(void*) {
  pthread_mutex_lock(&g);
  )") + GetParam().second + R"(
  pthread_mutex_unlock(&g);
  return nullptr;
}
int main() {
  p = (Block*)malloc(sizeof(Block));
  sem_init(&p->s, 0, 0);
  sem_init(&s, 0, 0);
  pthread_mutex_init(&p->m, nullptr);
  pthread_t t;
  pthread_create(&t, nullptr, run, nullptr);
  pthread_mutex_lock(&g);
  )" + GetParam().first + R"(
  pthread_mutex_unlock(&g);
  pthread_join(t, nullptr);
}
)";
  const bool is_bug = *GetParam().bug != 0;
  const json test = search(text.c_str(), is_bug ? 1 : 0);
  ASSERT_EQ(test["bugs"].size(), is_bug ? 1u : 0u) << test["reason"];
  if (is_bug) {
    EXPECT_EQ(test["bugs"][0]["kind"], GetParam().bug);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, CausalityInOneOrder,
                         testing::Values(Ordered{"sem_post(&p->s);", "free(p);", "use-after-free"},
                                         Ordered{"pthread_mutex_lock(&p->m); pthread_mutex_unlock(&p->m);",
                                                 "free(p);", "use-after-free"},
                                         Ordered{"sem_post(&s);", "sem_post(&s);", ""}));

// Where races are ignored, plain accesses are not seen.
TEST_F(Causality, ClaimsNothingWhereRacesAreIgnored) {
  const std::string source = write("program.cpp", kRelaxedFlag);
  EXPECT_EQ(thrum({"c++", "-std=c++20", "-O1", "-g", source, "-o", "program"}).exit_code, 0);
  const json test =
      check({path("program"), "--strategy", "mcr", "--races", "ignore", "--jobs", "1"}, 3)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
}

}  // namespace
