// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --state-cache: each state is visited once. (Against the oracle: tests/native/states_test.cpp.)
#include <set>

#include "endtoend.hpp"

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// Peterson's lock for three threads, which never end. WRONG: a thread does not look at the last level.
constexpr const char* kPeterson = R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
#ifndef WRONG
#define WRONG 0
#endif
atomic_int level[N], victim[N], inside;
static int others_are_ahead(int me, int at) {
  for (int other = 0; other < N; ++other)
    if (other != me && level[other] >= at) return 1;
  return 0;
}
static void* run(void* argument) {
  int me = (int)(long)argument;
  for (;;) {
    for (int at = 1; at < N - WRONG; ++at) {
      level[me] = at;
      victim[at] = me;
      while (others_are_ahead(me, at) && victim[at] == me) {
      }
    }
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    level[me] = 0;
  }
}
int main(void) {
  pthread_t threads[N];
  for (long i = 0; i < N; ++i) pthread_create(&threads[i], 0, run, (void*)i);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
}
)";

// body: of two threads, as macros ONE and TWO.
std::string two_threads(const std::string& one, const std::string& two) {
  return R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
int plain[4], copy[4];
char text[16] = "text", copied[16];
atomic_int flag, other;
int* block;
static void* one(void* argument) { )" +
         one + R"( return argument; }
static void* two(void* argument) { )" +
         two + R"( return argument; }
int main(void) {
  pthread_t threads[2];
  block = calloc(4, sizeof *block);
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, two, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
)";
}

class StateCache : public EndToEnd {
 protected:
  std::string compile(const std::string& text, const Words& flags = {}) {
    Words words = {"cc", "--bitcode", "-O1", "-g", "-w", write("program.c", text), "-o", path("program")};
    words.insert(words.end(), flags.begin(), flags.end());
    const ChildResult made = thrum(words);
    EXPECT_EQ(made.exit_code, 0) << made.errors;
    return path("program");
  }
  json search(const std::string& program, int exit_code, const Words& more = {}) {
    Words words = {program, "--engine", "vm", "--state-cache"};
    words.insert(words.end(), more.begin(), more.end());
    return check(words, exit_code)["tests"][0];
  }
  void expect_refusal(const Words& more, const std::string& says) {
    Words words = {"check", "program.c"};
    words.insert(words.end(), more.begin(), more.end());
    const ChildResult result = thrum(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(says), std::string::npos) << result.errors;
  }
};

std::set<std::string> kinds_of(const json& test) {
  std::set<std::string> kinds;
  for (const json& bug : test["bugs"]) kinds.insert(bug["kind"].get<std::string>());
  return kinds;
}

std::set<std::string> assumptions_of(const json& test) {
  std::set<std::string> kinds;
  for (const json& one : test["guarantee"]["assumptions"]) kinds.insert(one["kind"].get<std::string>());
  return kinds;
}

TEST_F(StateCache, EndsWhereThreadsNeverDo) {
  const std::string program = compile(kPeterson);
  std::set<std::uint64_t> states;
  for (const char* order : {"dfs", "icb", "bfs"}) {
    const json test = search(program, 0, {"--strategy", order});
    EXPECT_EQ(test["verdict"], "exhausted") << order;
    EXPECT_TRUE(test["complete"]) << order;
    EXPECT_EQ(assumptions_of(test).contains("livelocks-not-sought"), std::string(order) != "dfs") << order;
    states.insert(test["statistics"]["states"].get<std::uint64_t>());
  }
  EXPECT_EQ(states.size(), 1u);
  const json bounded = search(program, 0, {"--strategy", "icb", "--bound", "preemptions=1"});
  EXPECT_FALSE(bounded["complete"]);
  EXPECT_EQ(bounded["guarantee"]["bounds"][0]["completed"], 1);
  EXPECT_LT(bounded["statistics"]["states"].get<std::uint64_t>(), *states.begin());
  const json shallow = search(program, 3, {"--strategy", "bfs", "--bound", "depth=5"});
  EXPECT_EQ(shallow["verdict"], "inconclusive");
}

// Both threads wait for each other in inner loops of loops that never end.
constexpr const char* kBothWait = R"(#include <pthread.h>
#include <stdatomic.h>
atomic_int wants[2];
static void* run(void* argument) {
  long me = (long)argument;
  for (;;) {
    wants[me] = 1;
    while (wants[1 - me]) {
    }
    wants[me] = 0;
  }
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, (void*)1);
  run((void*)0);
}
)";

// Each thread holds one lock and tries the other one. LAST: what it does when the attempt fails.
constexpr const char* kTryBoth = R"(#include <pthread.h>
#include <sched.h>
pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void* run(void* argument) {
  long me = (long)argument;
  for (;;) {
    pthread_mutex_lock(&locks[me]);
    if (!pthread_mutex_trylock(&locks[1 - me])) break;
    pthread_mutex_unlock(&locks[me]);
    LAST;
  }
  pthread_mutex_unlock(&locks[1]);
  pthread_mutex_unlock(&locks[0]);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, (void*)1);
  run((void*)0);
  pthread_join(thread, 0);
}
)";

// A worker that is always refused, but only by an observer who always looks at the wrong moments.
constexpr const char* kPolled = R"(#include <pthread.h>
#include <sched.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int done;
static void* work(void* argument) {
  while (pthread_mutex_trylock(&lock)) sched_yield();
  done = 1;
  pthread_mutex_unlock(&lock);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  int is_done = 0;
  while (!is_done) {
    pthread_mutex_lock(&lock);
    is_done = done;
    pthread_mutex_unlock(&lock);
    sched_yield();
  }
  pthread_join(thread, 0);
}
)";

TEST_F(StateCache, FindsLivelocks) {
  const std::string both_wait = compile(kBothWait);
  const json stuck = search(both_wait, 1, {"--strategy", "dfs"});
  ASSERT_EQ(kinds_of(stuck), (std::set<std::string>{"livelock"}));
  EXPECT_TRUE(stuck["bugs"][0]["confirmed"]);
  const json not_sought = search(both_wait, 0);
  EXPECT_TRUE(assumptions_of(not_sought).contains("livelocks-not-sought"));
  const json in_lockstep = search(compile(kTryBoth, {"-DLAST=sched_yield()"}), 1, {"--strategy", "dfs"});
  ASSERT_EQ(kinds_of(in_lockstep), (std::set<std::string>{"livelock"}));
  EXPECT_TRUE(in_lockstep["bugs"][0]["confirmed"]);
  // Without a yield, a schedule is fair that lets one of them come through.
  search(compile(kTryBoth, {"-DLAST=(void)0"}), 0, {"--strategy", "dfs"});
  const json polled = search(compile(kPolled), 0, {"--strategy", "dfs"});
  EXPECT_TRUE(polled["complete"]);
  EXPECT_TRUE(assumptions_of(polled).contains("may-go-round"));
}

TEST_F(StateCache, ServersAreNoLivelocks) {
  constexpr const char* kBodies[] = {
      "for (;;) { other++; other--; }",                                       // a round
      "for (;;) { if (flag) abort(); other ^= 1; }",                          // a failure is no way out
      "for (;;) { while (other) {} other = 0; }",                             // waits now and then
      "for (;;) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }"  // waits for a lock
  };
  for (const char* const body : kBodies) {
    const std::string program = compile(
        "#define _GNU_SOURCE\n#include <pthread.h>\nstatic pthread_mutex_t lock = "
        "PTHREAD_MUTEX_INITIALIZER;\n" +
        two_threads(body, body));
    EXPECT_EQ(search(program, 0, {"--strategy", "dfs"})["verdict"], "exhausted") << body;
  }
}

// A program that creates and joins threads for ever has few states. Schedules of bugs name threads as
// ordinary executions do.
TEST_F(StateCache, ThreadsComeAgain) {
  constexpr const char* kProgram = R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, rounds;
static void* work(void* argument) {
  x = 1 - x;
  return argument;
}
int main(void) {
  for (;;) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
    if (ROUNDS) assert(++rounds < ROUNDS);
  }
}
)";
  const json endless = search(compile(kProgram, {"-DROUNDS=0"}), 0, {"--strategy", "dfs"});
  EXPECT_EQ(endless["verdict"], "exhausted");
  EXPECT_LT(endless["statistics"]["states"].get<std::uint64_t>(), 500u);
  const json late = search(compile(kProgram, {"-DROUNDS=12"}), 1);
  ASSERT_EQ(kinds_of(late), (std::set<std::string>{"assertion"}));
  EXPECT_TRUE(late["bugs"][0]["confirmed"]);
}

TEST_F(StateCache, FindsABugWithTheFewestPreemptions) {
  const std::string program = compile(kPeterson, {"-DWRONG=1"});
  const json test = search(program, 1);
  ASSERT_EQ(test["bugs"].size(), 1u);
  EXPECT_EQ(test["bugs"][0]["kind"], "assertion");
  EXPECT_TRUE(test["bugs"][0]["confirmed"]);
  EXPECT_TRUE(test["bugs"][0]["native"]);
  EXPECT_EQ(test["bugs"][0]["preemptions_minimal"], "proved");
}

// What was completed before the memory ended counts.
TEST_F(StateCache, KeepsTheBoundsThatWereCompleted) {
  const std::string program = compile(kPeterson, {"-DN=4"});
  const json full = search(program, 3, {"--strategy", "icb", "--search-memory", "1M"});
  EXPECT_EQ(full["guarantee"]["bounds"][0]["completed"], 2);
  EXPECT_EQ(full["statistics"]["stateful"]["bounds"].size(), 3u);
  EXPECT_EQ(search(program, 3, {"--strategy", "dfs", "--search-memory", "1M"})["verdict"], "inconclusive");
}

TEST_F(StateCache, FindsRaces) {
  const struct {
    const char* one;
    const char* two;
  } races[] = {
      {"plain[0] = 1;", "copy[0] = plain[0];"},
      {"plain[0] = 1;", "plain[0] = 2;"},
      {"flag = 1;", "copy[0] = *(int*)&flag;"},
      {"memcpy(copy, plain, sizeof copy);", "plain[2] = 1;"},
      {"memset(plain, argument != 0, sizeof plain);", "copy[0] = plain[3];"},
      {"free(block);", "if (flag == 0) copy[0] = block[1];"},
  };
  for (const auto& race : races) {
    const std::string program = compile(two_threads(race.one, race.two));
    EXPECT_TRUE(kinds_of(search(program, 1, {"--keep-going", "--strategy", "dfs"})).contains("data-race"))
        << race.one << " " << race.two;
    EXPECT_FALSE(kinds_of(search(program, 1)).empty())
        << race.one << " " << race.two;  // ends at its first bug
  }
}

// What a race leads to is shown by an execution in which the racing accesses are scheduling points.
TEST_F(StateCache, ConfirmsWhatRacesLeadTo) {
  constexpr const char* kLostUpdate = R"(#include <assert.h>
#include <pthread.h>
int counter;
static void* add(void* argument) {
  int value = counter;
  counter = value + 1;
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, add, 0);
  add(0);
  pthread_join(thread, 0);
  assert(counter == 2);
}
)";
  const std::string program = compile(kLostUpdate);
  for (const char* order : {"icb", "dfs", "bfs"}) {
    const json test = search(program, 1, {"--strategy", order, "--keep-going"});
    EXPECT_EQ(kinds_of(test), (std::set<std::string>{"assertion", "data-race"})) << order;
    for (const json& bug : test["bugs"]) {
      EXPECT_TRUE(bug["confirmed"]) << order << ": " << bug;
      const ChildResult again = thrum({"replay", bug["trace"].get<std::string>()});
      EXPECT_NE(again.output.find("the same failure again"), std::string::npos)
          << again.output << again.errors;
      if (bug["kind"] == "assertion") {
        EXPECT_EQ(bug["preemptions"], 1) << order;
      }
    }
  }
}

// Lost blocks are bugs where they are asked for; else only where other schedules lose none.
TEST_F(StateCache, FindsLeaks) {
  constexpr const char* kLoses = R"(#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int flag;
static void* set(void* argument) {
  flag = 1;
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  volatile char* block = malloc(4);
  *block = 1;
  if (FREES) free((void*)block);
  block = 0;
  pthread_join(thread, 0);
}
)";
  constexpr const char* kOrders[] = {"icb", "dfs", "bfs"};
  const std::string sometimes = compile(kLoses, {"-DFREES=!flag"});
  for (const char* order : kOrders) {
    const json found = search(sometimes, 1, {"--strategy", order});
    ASSERT_EQ(kinds_of(found), (std::set<std::string>{"leak"})) << order;
    EXPECT_TRUE(found["bugs"][0]["confirmed"]) << found["bugs"][0];
  }
  const std::string always = compile(kLoses, {"-DFREES=0"});
  for (const char* order : kOrders) {
    search(always, 0, {"--strategy", order});
    const json asked = search(always, 1, {"--strategy", order, "--leaks"});
    ASSERT_EQ(kinds_of(asked), (std::set<std::string>{"leak"})) << order;
    EXPECT_TRUE(asked["bugs"][0]["confirmed"]);
  }
}

// Two threads put blocks into a list. USE: what they do with a block's address besides.
constexpr const char* kList = R"(#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node* next; long value; };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct node* list;
long seen;
static void* add(void* argument) {
  for (int i = 0; i < 2; ++i) {
    struct node* node = malloc(sizeof *node);
    node->value = 7;
    pthread_mutex_lock(&lock);
    node->next = list;
    list = node;
    USE;
    pthread_mutex_unlock(&lock);
  }
  return argument;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
)";

TEST_F(StateCache, WhereBlocksLieDoesNotMatter) {
  constexpr const char* kHarmless[] = {
      "(void)0",
      "seen += node->next == 0",
      "seen += (uintptr_t)node & 1",
      "list = (struct node*)((uintptr_t)node | 1); list = (struct node*)((uintptr_t)list & ~1ul)",
      "struct node* own; memcpy(&own, &node, sizeof node); list = own",
      "seen = &node->value - (long*)node"};
  constexpr const char* kMatters[] = {
      "seen += (long)((uintptr_t)node * 31 & 1)",
      "seen += node < node->next",
      "char own[32]; snprintf(own, sizeof own, \"%p\", (void*)node)",
      "seen += *((unsigned char*)&list + VOLATILE)",
      "seen ^= (long)(uintptr_t)node",
      "struct node* own = node; char none[4] = {0}; seen += memcmp(&own, none, 4)",
      "seen += (int)(uintptr_t)node"};
  const auto program = [&](const char* use) {
    return compile(kList, {std::string("-DUSE=") + use, "-DVOLATILE=(*(volatile int*)&seen & 1)", "-O0"});
  };
  for (const char* use : kHarmless) {
    const json symmetric = search(program(use), 0);
    const json plain = search(program(use), 0, {"--symmetry", "none"});
    EXPECT_EQ(symmetric["statistics"]["stateful"]["symmetry"], "heap") << use;
    EXPECT_EQ(plain["statistics"]["stateful"]["symmetry"], "none") << use;
    EXPECT_LT(symmetric["statistics"]["states"], plain["statistics"]["states"]) << use;
    EXPECT_FALSE(assumptions_of(symmetric).contains("addresses-matter")) << use;
  }
  for (const char* use : kMatters) {
    const json test = search(program(use), 0);
    EXPECT_EQ(test["statistics"]["stateful"]["symmetry"], "none") << use;
    EXPECT_TRUE(assumptions_of(test).contains("addresses-matter")) << use;
  }
}

TEST_F(StateCache, SeesNoRaceWhereThereIsNone) {
  const struct {
    const char* one;
    const char* two;
  } pairs[] = {
      {"plain[0] = 1; flag = 1;", "if (flag == 1) copy[0] = plain[0];"},
      {"plain[0] = 1;", "plain[1] = 1;"},
      {"flag = 1; other = 1;", "other = 2; flag = 2;"},
      {"copy[0] = plain[0];", "copy[1] = plain[0];"},
  };
  for (const auto& pair : pairs) {
    const json test = search(compile(two_threads(pair.one, pair.two)), 0, {"--strategy", "dfs"});
    EXPECT_EQ(test["verdict"], "exhausted") << pair.one << " " << pair.two;
  }
}

TEST_F(StateCache, SaysWhatItDoesNotSee) {
  const std::string copies = "strcpy(copied, text);";
  const json in_call = search(compile(two_threads(copies, copies)), 3);
  EXPECT_EQ(in_call["verdict"], "inconclusive");
  EXPECT_TRUE(assumptions_of(in_call).contains("races-not-explored"));
  const std::string weak = "atomic_store_explicit(&flag, 1, memory_order_relaxed);";
  const json relaxed = search(compile(two_threads(weak, weak)), 0);
  EXPECT_TRUE(assumptions_of(relaxed).contains("weak-order-races"));
}

TEST_F(StateCache, RefusesInOneLine) {
  write("program.c", two_threads("", ""));
  expect_refusal({"--state-cache"}, "--engine vm");
  const Words on = {"--engine", "vm", "--state-cache"};
  const auto with = [&on](const Words& more) {
    Words words = on;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refusal(with({"--strategy", "dpor"}), "icb, dfs or bfs");
  expect_refusal(with({"--races", "explore"}), "--races explore");
  expect_refusal(with({"--strategy", "bfs", "--bound", "preemptions=1"}), "depth=N");
  expect_refusal(with({"--bound", "depth=3"}), "dfs or bfs");
  expect_refusal(with({"--suite", "suite"}), "--suite");
  expect_refusal({"--strategy", "bfs"}, "--state-cache");
  expect_refusal({"--bound", "depth=3"}, "--bound");
}

}  // namespace
