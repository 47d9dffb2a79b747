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
    return check({program, "--strategy", strategy, "--statistics", "--jobs", "1"}, code)["tests"][0];
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

// That a short wait times out is an event. What depends on time in another way is named, and nothing is
// claimed.
constexpr const char* kTimes = R"(
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
using namespace std::chrono_literals;
std::mutex mutex;
std::condition_variable changed;
bool is_ready = false;
int main() {
  std::thread waits([] {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, LENGTH, [] { return is_ready; })) { FAIL; }
  });
  std::thread other([] {
    SLEEP;
    std::lock_guard lock(mutex);
    is_ready = true;
    changed.notify_one();
  });
  waits.join();
  other.join();
}
)";

TEST_F(Unfolding, CoversShortWaits) {
  const auto with = [&](const std::string& length, const std::string& sleep, const std::string& fail,
                        int code) {
    return search(program(kTimes, {"-DLENGTH=" + length, "-DSLEEP=" + sleep, "-DFAIL=" + fail}), code);
  };
  EXPECT_EQ(with("5ms", "", "", 0)["verdict"], "exhausted");
  EXPECT_EQ(with("5ms", "", "__builtin_trap()", 1)["bugs"][0]["kind"], "crash");
  const auto reason = [](const json& test) { return test["reason"].get<std::string>(); };
  const std::string late = reason(with("20s", "", "", 3));
  EXPECT_NE(late.find("longer than --early-timeouts"), std::string::npos) << late;
  const std::string several = reason(with("5ms", "std::this_thread::sleep_for(1ms)", "", 3));
  EXPECT_NE(several.find("only deadlines"), std::string::npos) << several;
}

// Sections of one thread, of another one, and what is done beside them.
constexpr const char* kSections = R"(
#include <thrum/thrum.h>
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
int total, before_section;
std::atomic<int> x, y;
std::mutex mutex;
void section() {
  thrum_atomic_begin();
  CHOOSE;
  ++total;
  x = y + 1;
  if (mutex.try_lock()) mutex.unlock();
  thrum_atomic_end();
}
int main() {
  std::thread one(section), other([] { section(); y = 1; section(); });
  std::thread third([] { BESIDE; int before = y; assert(!(FAILS)); });
  one.join();
  other.join();
  third.join();
  assert(total == 3);
}
)";

TEST_F(Unfolding, CoversAtomicSections) {
  const auto with = [&](const std::string& beside, const std::string& fails, const std::string& choose,
                        int code) {
    const std::string text =
        program(kSections, {"-DBESIDE=" + beside, "-DFAILS=" + fails, "-DCHOOSE=" + choose});
    const json by_dpor = search(text, code == 3 ? 0 : code, "dpor");
    const json test = search(text, code);
    if (code == 1) {
      EXPECT_EQ(test["bugs"][0]["kind"], by_dpor["bugs"][0]["kind"]);
    }
    return test;
  };
  const json test = with("", "x > 2", "", 0);
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_EQ(test["guarantee"]["covers"], json({"local-states", "deadlocks", "data-races"}));
  EXPECT_EQ(with("std::lock_guard lock(mutex)", "before == 1 && x == 1", "", 1)["bugs"][0]["kind"],
            "assertion");
  EXPECT_EQ(with("if (x == 2) before_section = total", "0", "", 1)["bugs"][0]["kind"], "data-race");
  const std::string reason = with("", "0", "thrum_choose(2)", 3)["reason"];
  EXPECT_NE(reason.find("does not cover atomic sections that choose"), std::string::npos) << reason;
}

constexpr const char* kDetached = R"(
#include <pthread.h>
#include <semaphore.h>
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x;
sem_t done;
pthread_t shared;
void* work(void*) {
  const int before = x;
  x = before + 1;
  sem_post(&done);
  return nullptr;
}
int main() {
  sem_init(&done, 0, 0);
  pthread_create(&shared, nullptr, work, nullptr);
  std::thread other([] { work(nullptr); OTHER; });
  other.detach();
  MAIN(shared, 0);
  sem_wait(&done);
  sem_wait(&done);
  assert(!(FAILS));
}
)";

TEST_F(Unfolding, CoversDetachedThreads) {
  const auto with = [&](const std::string& other, const std::string& in_main, const std::string& fails,
                        int code) {
    return search(program(kDetached, {"-DOTHER=" + other, "-DMAIN(a,b)=" + in_main, "-DFAILS=" + fails}),
                  code);
  };
  EXPECT_EQ(with("", "pthread_detach(a)", "x > 2", 0)["verdict"], "exhausted");
  EXPECT_EQ(with("", "pthread_detach(a)", "x == 1", 1)["bugs"][0]["kind"], "assertion");
  // Whether the join succeeds is no function of what main has seen.
  const std::string reason = with("pthread_detach(shared)", "pthread_join(a, 0)", "x > 2", 3)["reason"];
  EXPECT_NE(reason.find("whether a thread was joined or detached"), std::string::npos) << reason;
}

// Nothing competes with the store. So one execution shows all events, and that the join comes first.
TEST_F(Unfolding, SeesThatADetachCompetesWithAJoin) {
  const json test = search(program(R"(
#include <pthread.h>
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x;
pthread_t other;
void* work(void*) { return nullptr; }
int main() {
  pthread_create(&other, nullptr, work, nullptr);
  std::thread joins([] { x = 1; assert(pthread_join(other, nullptr) == 0); });
  std::thread detaches([] { pthread_detach(other); });
  joins.join();
  detaches.join();
}
)"),
                           3);
  const std::string reason = test["reason"];
  EXPECT_NE(reason.find("whether a thread was joined or detached"), std::string::npos) << reason;
}

TEST_F(Unfolding, NamesWhatItDoesNotCover) {
  const json test = search(program(R"(
#include <pthread.h>
void* work(void*) { return nullptr; }
int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  if (pthread_tryjoin_np(thread, nullptr) != 0) pthread_join(thread, nullptr);
}
)"),
                           3);
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_NE(test["reason"].get<std::string>().find("does not cover try-join"), std::string::npos)
      << test["reason"];
}

// Flanagan and Godefroid's, with all that is shared visible: 8 operations of each thread alone, and 26 for
// each one that meets another. Kahkonen and Heljanko need three executions.
TEST_F(Unfolding, NeedsFewExecutionsOfManyPairs) {
  constexpr const char* kFilesystem = R"(
#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>
constexpr int kBlocks = 26;
std::array<std::atomic<int>, 32> inodes;
std::array<std::atomic<bool>, kBlocks> is_busy;
std::array<std::mutex, 32> inode_mutexes;
std::array<std::mutex, kBlocks> block_mutexes;
int main() {
  std::vector<std::thread> threads;
  for (int inode = 0; inode < THREADS; ++inode) {
    threads.emplace_back([inode] {
      std::lock_guard guard(inode_mutexes[inode]);
      if (inodes[inode] != 0) return;
      for (int block = inode * 2 % kBlocks;; block = (block + 1) % kBlocks) {
        std::lock_guard of_block(block_mutexes[block]);
        if (is_busy[block]) continue;
        is_busy[block] = true;
        inodes[inode] = block + 1;
        return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
)";
  for (const int threads : {13, 15, 20, 24}) {
    const std::string filesystem = program(kFilesystem, {"-DTHREADS=" + std::to_string(threads)});
    for (const char* strategy : {"unfolding", "unfolding-replicated"}) {
      const json test = search(filesystem, 0, strategy);
      EXPECT_EQ(test["verdict"], "exhausted");
      EXPECT_LE(test["executions"], 2);
      const int end_of_main = 1;
      EXPECT_EQ(test["statistics"]["local_states"], 8 * 13 + 26 * (threads - 13) + end_of_main);
    }
  }
}

// Whether a state can be reached is as hard as whether a formula can hold (their slides 28 and 29): the
// assertion fails if there are values with which each of the clauses holds. With all eight patterns of signs
// there are none; dpor has not ended after 2.6 million executions.
TEST_F(Unfolding, SolvesFormulas) {
  constexpr const char* kFormula = R"(
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>
std::atomic<int> variables[3];  // 1: false, 2: true
std::atomic<int> holds[8];
int main() {
  std::vector<std::thread> threads;
  for (auto& variable : variables) {
    for (const int value : {1, 2}) {
      threads.emplace_back([&variable, value] {
        int nothing = 0;
        variable.compare_exchange_strong(nothing, value);
      });
    }
  }
  for (int clause = 0; clause < 8; ++clause) {
    threads.emplace_back([clause] {
      for (int i = 0; i < 3; ++i) {
        if (clause != LEFT_OUT && variables[i] != 1 + (clause >> i & 1)) continue;
        holds[clause] = 1;
        return;
      }
    });
  }
  threads.emplace_back([] {
    for (auto& one : holds) {
      if (one == 0) return;
    }
    assert(!"each clause holds");
  });
  for (std::thread& thread : threads) thread.join();
}
)";
  EXPECT_EQ(search(program(kFormula, {"-DLEFT_OUT=8"}), 0)["verdict"], "exhausted");
  for (const char* clause : {"0", "5"}) {
    const json test = search(program(kFormula, {"-DLEFT_OUT=" + std::string(clause)}), 1);
    EXPECT_EQ(test["bugs"][0]["kind"], "assertion") << clause;
  }
}

TEST_F(Unfolding, GivesUpWhereMemoryIsTooSmall) {
  const std::string readers = program(kReaders, {"-DREADS"});
  const json test = check({readers, "--strategy", "unfolding", "--search-memory", "1K"}, 3)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_NE(test["reason"].get<std::string>().find("--search-memory"), std::string::npos) << test["reason"];
}

// Two threads of which each operation depends on the other's: ordinary unfoldings need one execution of each
// class, with each round of a loop as an event.
TEST_F(Unfolding, NeedsAsManyExecutionsAsClassesWhereAllDepends) {
  ASSERT_EQ(thrum({"c++", "-std=c++20", "-O2", "-g",
                   std::string(THRUM_SOURCES) + "/bench/verification/szymanski.cpp", "-o", "szymanski"})
                .exit_code,
            0);
  const std::string szymanski = path("szymanski");
  const json dpor =
      check({szymanski, "--strategy", "dpor", "--waiting", "block", "--jobs", "1"}, 0)["tests"][0];
  const json replicated = search(szymanski, 0, "unfolding-replicated");
  EXPECT_EQ(replicated["executions"], dpor["executions"]);
  EXPECT_LT(search(szymanski, 0)["executions"], replicated["executions"]);
}

// Queues that others wrote, used as they are: 9^8 classes.
TEST_F(Unfolding, EndsOnALibraryOnWhichDporDoesNot) {
  const json test = search(program(R"(
#include <boost/lockfree/spsc_queue.hpp>

#include <array>
#include <cassert>
#include <thread>
#include <vector>
using Queue = boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>;
std::array<Queue, 8> queues;
int main() {
  std::vector<std::thread> threads;
  for (Queue& queue : queues) {
    threads.emplace_back([&] {
      queue.push(1);
      queue.push(2);
    });
    threads.emplace_back([&] {
      int last = 0;
      for (int item = 0; queue.pop(item); last = item) assert(item == last + 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}
)"),
                           0);
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_LE(test["executions"], 40);
}

// The memory of a thread lies where the order of creations says.
TEST_F(Unfolding, CoversThreadsThatCreateThreads) {
  constexpr const char* kTree = R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x;
void create(int value) {
  x += value;
  std::thread inner([value] {
    const int before = x.exchange(value);
    CHECK(before == 3 || before == value);
  });
  inner.join();
}
int main() {
  std::thread one(create, 1), other(create, 2);
  one.join();
  other.join();
}
)";
  EXPECT_EQ(search(program(kTree, {"-DCHECK(x)=(void)(x)"}), 0)["verdict"], "exhausted");
  const json test = search(program(kTree, {"-DCHECK(x)=assert(x)"}), 1);
  EXPECT_EQ(test["bugs"][0]["kind"], "assertion");
}

// What the others run counts, and changes nothing else.
TEST_F(Unfolding, IsAccompaniedByRandomExecutions) {
  constexpr const char* kLong = R"(
#include <atomic>
#include <thread>
std::atomic<int> x, y;
int main() {
  const auto work = [](std::atomic<int>& one, std::atomic<int>& other, int rounds) {
    for (int i = 0; i < rounds; ++i) one = one + other;
  };
  std::thread a(work, std::ref(x), std::ref(y), 5), b(work, std::ref(y), std::ref(x), 6);
  a.join();
  b.join();
}
)";
  const std::string text = program(kLong);
  const auto by = [&](const std::string& jobs) {
    return check({text, "--strategy", "unfolding", "--statistics", "--jobs", jobs}, 0)["tests"][0];
  };
  const json one = by("1");
  const json several = by("3");
  EXPECT_EQ(several["verdict"], "exhausted");
  EXPECT_EQ(several["guarantee"], one["guarantee"]);
  EXPECT_EQ(several["statistics"]["local_states"], one["statistics"]["local_states"]);
  std::uint64_t random = 0;
  for (const json& member : several["statistics"]["strategies"]) {
    if (member["name"] == "unfolding") {
      EXPECT_EQ(member["executions"], one["executions"]);
    } else {
      random += member["executions"].get<std::uint64_t>();
    }
  }
  EXPECT_GT(random, 0u);
  const json limited = check({text, "--strategy", "unfolding", "--jobs", "3", "--executions", "1000000"}, 0);
  EXPECT_EQ(limited["tests"][0]["executions"], one["executions"]);
  EXPECT_EQ(limited["tests"][0]["one_worker"],
            "the strategy searches in one worker, which gets all of --executions");
  EXPECT_EQ(several["executions"], one["executions"].get<std::uint64_t>() + random);
}

}  // namespace
