// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --engine vm: several workers, checkpoints, suites, leaks, explored races and limits. What comes out is what
// the native engine says of the same bitcode, or what one worker says.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using nlohmann::json;

// Three threads that lock so often each.
constexpr const char* kCounterInC = R"(#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void* run(void* argument) {
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return counter - 3 * ROUNDS;
}
)";

// Fails in different ways, at different places, some of them only late.
constexpr const char* kLateBugs = R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, z, w;
static void busy(void) { w = w + 1; }
static void* one(void* argument) {
  x = 1; y = 1; busy(); z = 1;
  assert(y != 3);
  return argument;
}
static void* two(void* argument) {
  y = y + 2;
  busy();
  assert(x != 1 || z != 1 || y != 2);
  z = 5;
  assert(z == 5);
  return argument;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  x = 2;
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(x == 1);
  assert(w != 1);
}
)";

// first() loses a block in some schedules only, second() always one to three of them.
constexpr const char* kLeaksInC = R"(#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { struct node* next; };
static _Atomic(struct node*) shared;
static atomic_int n;
static _Thread_local struct node* volatile mine;
static int loses;
static struct node* make(struct node* next) {
  struct node* made = malloc(sizeof *made);
  made->next = next;
  return made;
}
static void first(void) { if (shared == 0) shared = make(0); }
static void second(void) {
  for (int i = n++; i >= 0; --i) mine = make(make(0));
}
static void* run(void* argument) {
  first();
  if (loses) second();
  return argument;
}
int main(int argc, char** argv) {
  pthread_t a, b;
  loses = argc > 1;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  free(shared);
}
)";

// What lost blocks are reachable from, or are not. Each case keeps one block.
constexpr const char* kKept = R"(#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
void __lsan_ignore_object(const void*);
void __lsan_disable(void);
void __lsan_enable(void);
static char* volatile global;
static char** volatile mapped;
static _Thread_local char* volatile local;
static pthread_key_t key;
static void* nothing(void* argument) { return argument; }
static void* keeps(void* what) {
  char* volatile block = malloc(24);
  const char* name = what;
  if (!strcmp(name, "global")) global = block;
  if (!strcmp(name, "inside")) global = block + 23;
  if (!strcmp(name, "behind")) global = block + 24;
  if (!strcmp(name, "tagged")) global = (char*)((unsigned long)block | 0x1234000000000000);
  if (!strcmp(name, "mapped")) {
    mapped = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapped[600] = block;
  }
  if (!strcmp(name, "local")) local = block;
  if (!strcmp(name, "key")) pthread_setspecific(key, block);
  if (!strcmp(name, "ignored")) __lsan_ignore_object(block);
  if (!strcmp(name, "chained")) {
    char* volatile* holder = malloc(sizeof *holder);
    *holder = block;
    global = (char*)holder;
  }
  block = 0;
  return 0;
}
int main(int argc, char** argv) {
  pthread_t thread;
  pthread_key_create(&key, 0);
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  if (!strcmp(argv[1], "disabled")) __lsan_disable();
  if (argc > 2) {
    pthread_create(&thread, 0, keeps, argv[1]);
    pthread_join(thread, 0);
  } else {
    keeps(argv[1]);
  }
  if (!strcmp(argv[1], "disabled")) __lsan_enable();
}
)";

constexpr const char* kLostUpdate = R"(#include <assert.h>
#include <pthread.h>
static int x;
static void* run(void* argument) { ++x; return argument; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(x == 2);
}
)";

constexpr const char* kRacingFree = R"(#include <pthread.h>
#include <stdlib.h>
static int* block;
static void* drop(void* argument) { free(block); return argument; }
static void* use(void* argument) { return *block == 7 ? argument : 0; }
int main(void) {
  pthread_t a, b;
  block = calloc(1, sizeof *block);
  pthread_create(&a, 0, use, 0);
  pthread_create(&b, 0, drop, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)";

constexpr const char* kTakes = R"(#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turn;
static const char* how;
static void* run(void* argument) {
  pthread_mutex_lock(&mutex);
  const int mine = turn++;
  pthread_mutex_unlock(&mutex);
  const size_t size = (size_t)20 << 20;
  char* block = strcmp(how, "map") ? malloc(size)
                                   : mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block) block[mine] = 1;
  if (!strcmp(how, "unmap")) {
    char* other = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(other, size);
  }
  return argument;
}
int main(int argc, char** argv) {
  how = argv[1];
  if (!strcmp(how, "early")) global: for (int i = 0; i < 8; ++i) memset(malloc((size_t)10 << 20), 1, 1);
  pthread_t a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)";

// Two threads poll under a lock until main has set what they wait for.
constexpr const char* kPollsInC = R"(#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, tries;
static atomic_int arrived;
static int poll_once(void) {
  pthread_mutex_lock(&mutex);
  ++tries;
  const int is_ready = ready;
  pthread_mutex_unlock(&mutex);
  return is_ready;
}
static void* run(void* argument) {
  while (!poll_once()) sched_yield();
  ++arrived;
  return argument;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(arrived == 2);
}
)";

class VmFeatures : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    if (!fs::exists(prefix() / "lib/thrum/thrum-vm")) GTEST_SKIP() << "Thrum was built without LLVM 19";
  }
  static fs::path prefix() { return fs::path(THRUM_PROGRAM).parent_path().parent_path(); }

  ChildResult with_thrum(Words words) {
    words.insert(words.begin(), THRUM_PROGRAM);
    return run(words, path("."),
               {"XDG_CACHE_HOME=" + (prefix() / "tests/vm-library").string(), "THRUM_BITCODE=1"});
  }
  // The bitcode program of a C source.
  std::string compiled(const std::string& name, std::string text, const std::string& rounds = "") {
    if (!rounds.empty()) text = std::regex_replace(text, std::regex("ROUNDS"), rounds);
    write(name + ".c", text);
    const ChildResult built = with_thrum({"cc", "-O1", "-g", "-pthread", name + ".c", "-o", name});
    EXPECT_EQ(built.exit_code, 0) << built.errors;
    return name;
  }
  ChildResult search(const std::string& engine, Words words, const Words& arguments = {}) {
    words.insert(words.begin(), {"check", "--engine", engine, "--json", "result.json", "--out", engine});
    if (!arguments.empty()) words.emplace_back("--");
    words.insert(words.end(), arguments.begin(), arguments.end());
    fs::remove(path("result.json"));
    return with_thrum(words);
  }
  json result_of(const ChildResult& done) {
    if (!fs::exists(path("result.json"))) {
      ADD_FAILURE() << done.output << done.errors;
      return json::object({{"bugs", json::array()}});
    }
    return json::parse(read(path("result.json"))).at("tests").at(0);
  }
  json found(const std::string& engine, const Words& words, const Words& arguments = {}) {
    return result_of(search(engine, words, arguments));
  }

  // What of a result is the same whichever engine it is of, and however many workers there were.
  static json outcome_of(const json& test, bool by_cost = true) {
    json outcome;
    for (const char* field : {"verdict", "complete"}) outcome[field] = test.value(field, json());
    if (by_cost) outcome["executions"] = test.value("executions", json());
    std::set<std::string> bugs;
    for (const json& bug : test.at("bugs"))
      bugs.insert(bug.at("kind").get<std::string>() + ": " + bug.at("message").get<std::string>() +
                  (by_cost ? " " + bug.at("preemptions").dump() : ""));
    outcome["bugs"] = bugs;
    return outcome;
  }
  void expect_same(const Words& words, const Words& arguments = {}) {
    const json native = outcome_of(found("native", words, arguments));
    std::string shown;
    for (const std::string& word : arguments) shown += " " + word;
    EXPECT_EQ(outcome_of(found("vm", words, arguments)), native) << words.back() << shown;
  }

  static std::string comparable(std::string text) {
    const auto replace = [&](const char* what, const char* by) {
      text = std::regex_replace(text, std::regex(what), by);
    };
    replace("after [0-9.]+ s", "after T");
    replace("execution(s?) in [0-9.]+ s \\([0-9]+/s\\)", "execution$1 in T");
    replace(", engine vm", "");
    replace("thrum replay\\s+(native|vm)/", "thrum replay ");
    return text;
  }
  void expect_same_reports(const Words& words, const Words& arguments = {}) {
    const std::string native = search("native", words, arguments).output;
    EXPECT_EQ(comparable(search("vm", words, arguments).output), comparable(native));
    EXPECT_FALSE(native.empty());
  }
  void expect_replays(const Words& engines) {
    for (const std::string& found_by : engines) {
      for (const std::string& engine : engines) {
        const ChildResult again = with_thrum({"replay", "--engine", engine, found_by + "/bug-1.trace.json"});
        EXPECT_EQ(again.exit_code, 1) << found_by << " on " << engine << ": " << again.output << again.errors;
        EXPECT_NE(again.output.find("the same failure again, by the same operations"), std::string::npos)
            << found_by << " on " << engine << ": " << again.output;
      }
    }
  }
};

TEST_F(VmFeatures, WorkersComeToTheSameAsOne) {
  const std::string clean = compiled("counter", kCounterInC, "4");
  const std::string wrong = compiled("bugs", kLateBugs);
  struct Case {
    Words words;
    bool by_cost;  // each execution exactly once
  };
  const std::vector<Case> cases = {{{"--strategy", "icb"}, true},
                                   {{"--strategy", "dfs"}, true},
                                   {{"--strategy", "dpor", "--waiting", "repeat"}, false},
                                   {{"--strategy", "best-first", "--priority", "mdpor"}, false}};
  int shared = 0;
  for (const std::string& program : {clean, wrong}) {
    for (const Case& one : cases) {
      Words words = one.words;
      words.insert(words.end(), {"--time", "0", "--keep-going", program, "--jobs"});
      const auto with_jobs = [&](const char* engine, const char* jobs) {
        Words all = words;
        all.emplace_back(jobs);
        return found(engine, all);
      };
      const json native = outcome_of(with_jobs("native", "1"), one.by_cost);
      for (const char* jobs : {"1", "2", "8"}) {
        const json several = with_jobs("vm", jobs);
        EXPECT_EQ(outcome_of(several, one.by_cost), native) << program << " " << words[1] << " " << jobs;
        if (several.value("workers", 1) > 1) ++shared;
      }
    }
  }
  EXPECT_GT(shared, 4);
}

TEST_F(VmFeatures, PiecesAreTheWhole) {
  const std::string program = compiled("counter", kCounterInC, "4");
  for (const char* strategy : {"dfs", "dpor", "icb"}) {
    const Words whole_words = {"--strategy", strategy, "--trace-digest", "--time", "0", program};
    const json whole = found("vm", whole_words);
    fs::remove(path("state"));
    Words words = whole_words;
    words.insert(words.end(), {"--checkpoint", "state", "--executions"});
    json last;
    int pieces = 0;
    for (int executions = 500; pieces < 60; executions = 2 * executions + 500) {
      Words piece = words;
      piece.push_back(std::to_string(executions));
      last = found("vm", piece);
      ++pieces;
      if (last.value("verdict", "") != "inconclusive") break;
    }
    EXPECT_GT(pieces, 1) << strategy;
    EXPECT_EQ(outcome_of(last), outcome_of(whole)) << strategy;
    EXPECT_EQ(last.value("trace_digest", "none"), whole.value("trace_digest", "")) << strategy;
  }
}

TEST_F(VmFeatures, CheckpointsBringBugsBackAndNameWhatHasChanged) {
  const std::string program = compiled("bugs", kLateBugs);
  const json whole = found("vm", {"--strategy", "dfs", "--time", "0", "--keep-going", program});
  search("vm", {"--strategy", "dfs", "--time", "0", "--keep-going", "--checkpoint", "state", "--executions",
                "1000", program});
  EXPECT_EQ(outcome_of(found("vm", {"--resume", "state", "--executions", "0"})), outcome_of(whole));
  compiled("bugs", std::string(kLateBugs) + "\nint more;\n");
  search("vm", {"--strategy", "dfs", "--time", "0", "--keep-going", "--checkpoint", "other", "--executions",
                "1000", program});
  compiled("bugs", kLateBugs);
  const ChildResult refused = with_thrum({"check", "--resume", "other"});
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_EQ(std::count(refused.errors.begin(), refused.errors.end(), '\n'), 1) << refused.errors;
}

TEST_F(VmFeatures, SuitesAreRecordedAndReplayedOnEitherEngine) {
  compiled("bugs", kCounterInC, "2");
  for (const std::string by : {"native", "vm"}) {
    const ChildResult made = search(by, {"--strategy", "unfolding", "--suite", by + ".suite", "bugs"});
    EXPECT_EQ(made.exit_code, 0) << made.output << made.errors;
    for (const std::string engine : {"native", "vm"}) {
      const ChildResult again = with_thrum({"replay", "--engine", engine, by + ".suite"});
      EXPECT_EQ(again.exit_code, 0) << by << " on " << engine << ": " << again.output << again.errors;
      EXPECT_NE(again.output.find(" pass"), std::string::npos) << again.output;
    }
  }
  const auto schedules = [&](const std::string& name) {
    const std::string text = read(path(name));
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(schedules("native.suite"), schedules("vm.suite"));
}

TEST_F(VmFeatures, LeaksOfSomeSchedules) {
  const std::string program = compiled("leaks", kLeaksInC);
  expect_same_reports({program});
  expect_replays({"native", "vm"});
  EXPECT_EQ(found("vm", {program}).at("bugs").at(0).at("kind"), "leak");
  EXPECT_TRUE(fs::exists(path("vm/bug-1-without.trace.json")));
}

TEST_F(VmFeatures, LeaksAreToldApartByTheirAllocations) {
  const std::string program = compiled("leaks", kLeaksInC);
  const Words words = {"--leaks", "--keep-going", "--jobs", "1", program};
  expect_same(words, {"second"});
  const json test = found("vm", words, {"second"});
  const json native = found("native", words, {"second"});
  ASSERT_EQ(test.at("bugs").size(), 2U);
  ASSERT_EQ(native.at("bugs").size(), 2U);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(test.at("bugs").at(i).at("fingerprint"), native.at("bugs").at(i).at("fingerprint"));
}

TEST_F(VmFeatures, WhatIsReachableIsNoLeak) {
  const std::string program = compiled("kept", kKept);
  for (const char* name : {"global", "inside", "behind", "tagged", "mapped", "local", "key", "ignored",
                           "chained", "disabled", "nowhere"}) {
    expect_same({"--leaks", program}, {name});
    expect_same({"--leaks", program}, {name, "thread"});
  }
  EXPECT_EQ(found("vm", {"--leaks", program}, {"global"}).at("verdict"), "exhausted");
  EXPECT_EQ(found("vm", {"--leaks", program}, {"nowhere", "thread"}).at("verdict"), "bug");
}

TEST_F(VmFeatures, RacesAreExplored) {
  for (const char* text : {kLostUpdate, kRacingFree}) {
    const std::string program = compiled("races", text);
    expect_same_reports({"--races", "explore", program});
    expect_same({"--races", "explore", "--bound", "none", "--strategy", "dfs", "--keep-going", program});
    const json test = found("vm", {"--races", "explore", "--jobs", "4", program});
    EXPECT_EQ(outcome_of(test, false), outcome_of(found("native", {"--races", "explore", program}), false));
    for (const json& bug : test.at("bugs"))
      EXPECT_EQ(with_thrum({"replay", bug.at("trace")}).exit_code, 1) << bug.dump(1);
  }
}

TEST_F(VmFeatures, RacesAreSuppressedAndLeadTo) {
  const std::string program = compiled("races", kLostUpdate);
  expect_same_reports({program});
  write("list", "race:^run$\n");
  expect_same_reports({"--suppressions", "list", program});
}

TEST_F(VmFeatures, MemoryIsLimited) {
  const std::string program = compiled("takes", std::regex_replace(kTakes, std::regex("global: "), ""));
  for (const char* how : {"heap", "map", "unmap", "early"}) {
    for (const char* limit : {"25M", "50M", "70M", "1G"})
      expect_same({"--program-memory", limit, program}, {how});
  }
  EXPECT_EQ(found("vm", {"--program-memory", "25M", program}, {"heap"}).at("verdict"), "inconclusive");
  EXPECT_EQ(found("vm", {"--program-memory", "1G", program}, {"heap"}).at("verdict"), "exhausted");
}

TEST_F(VmFeatures, YieldsAreBounded) {
  const std::string program = compiled("polls", kPollsInC);
  for (const char* bound : {"yields=1", "yields=2"}) {
    for (const char* strategy : {"dfs", "icb"}) {
      const Words words = {"--fair", "off", "--strategy", strategy, "--bound", bound, "--time", "0", program};
      const json native = found("native", words);
      expect_same(words);
      EXPECT_EQ(found("vm", words).value("guarantee", json()).value("bounds", json()),
                native.value("guarantee", json()).value("bounds", json()));
    }
  }
}

}  // namespace
