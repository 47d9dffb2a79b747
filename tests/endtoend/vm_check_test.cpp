// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --engine vm: what the machine finds, how its reports and traces read beside those of the native engine, and
// what it refuses.
#include <algorithm>
#include <filesystem>
#include <regex>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using nlohmann::json;

constexpr const char* kRaceInC = R"(#include <pthread.h>
#include <stdio.h>
struct box { int first; int value; };
static struct box shared;
static void* run(void* argument) { shared.value = 1; return argument; }
int main(void) {
  pthread_t thread;
  printf("begin\n");
  pthread_create(&thread, 0, run, 0);
  printf("%d\n", shared.value);
  pthread_join(thread, 0);
  return 0;
}
)";

constexpr const char* kDeadlockInC = R"(#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* run(void* argument) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_join(thread, 0);
  return 0;
}
)";

constexpr const char* kUseAfterFree = R"(#include <pthread.h>
#include <stdlib.h>
struct node { int key; int value; };
static struct node* head;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* drop(void* argument) {
  pthread_mutex_lock(&mutex);
  free(head);
  pthread_mutex_unlock(&mutex);
  return argument;
}
int main(void) {
  pthread_t thread;
  head = calloc(1, sizeof *head);
  pthread_create(&thread, 0, drop, 0);
  pthread_mutex_lock(&mutex);
  int value = head->value;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
  return value;
}
)";

constexpr const char* kAssertion = R"(#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> counter = 0;
void add() {
  int old = counter;
  counter = old + 1;
}
int main() {
  std::thread one(add), two(add);
  one.join();
  two.join();
  assert(counter == 2);
}
)";

constexpr const char* kHeapRace = R"(#include <memory>
#include <mutex>
#include <thread>
struct Queue { std::mutex mutex; int items[4]; int count; };
int main() {
  auto queue = std::make_unique<Queue>();
  queue->count = 0;
  std::thread one([&] { std::lock_guard<std::mutex> lock(queue->mutex); queue->items[queue->count++] = 1; });
  std::thread two([&] { queue->items[queue->count++] = 2; });
  one.join();
  two.join();
}
)";

constexpr const char* kException = R"(#include <mutex>
#include <stdexcept>
#include <thread>
std::mutex mutex;
int value;
int main() {
  std::thread one([] { std::lock_guard<std::mutex> lock(mutex); ++value; });
  try {
    std::lock_guard<std::mutex> lock(mutex);
    if (value == 1) throw std::runtime_error("late");
  } catch (const std::runtime_error&) {
    one.join();
    std::terminate();
  }
  one.join();
}
)";

constexpr const char* kCorrect = R"(#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
int main() {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> items;
  std::thread producer([&] {
    for (int i = 0; i < 2; ++i) {
      std::lock_guard<std::mutex> lock(mutex);
      items.push_back(i);
      changed.notify_one();
    }
  });
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return items.size() == 2; });
  lock.unlock();
  producer.join();
  try {
    throw std::runtime_error(std::to_string(items[1]));
  } catch (const std::exception& error) {
    assert(std::string(error.what()) == "1");
  }
}
)";

class VmCheck : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    const fs::path prefix = fs::path(THRUM_PROGRAM).parent_path().parent_path();
    if (!fs::exists(prefix / "lib/thrum/thrum-vm")) GTEST_SKIP() << "Thrum was built without LLVM 19";
  }

  // Where the bitcode of the C++ library stays from one test to the next.
  static std::string kept_cache() {
    return "XDG_CACHE_HOME=" +
           (fs::path(THRUM_PROGRAM).parent_path().parent_path() / "tests/vm-library").string();
  }
  ChildResult with_thrum(Words words) {
    words.insert(words.begin(), THRUM_PROGRAM);
    return run(words, path("."), {kept_cache(), "THRUM_BITCODE=1"});
  }
  bool has_cpp_library() { return with_thrum({"vm-library"}).exit_code == 0; }

  // The report of the check of a source file by that engine; its result is in ENGINE.json, its traces in the
  // folder ENGINE.
  std::string report(const std::string& engine, const std::string& source, int exit_code,
                     const Words& options = {}) {
    Words words = {"check", "--engine", engine, "--json", engine + ".json", "--out", engine};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(source);
    const ChildResult result = with_thrum(words);
    EXPECT_EQ(result.exit_code, exit_code) << result.output << result.errors;
    return result.output;
  }
  json result_of(const std::string& engine) {
    return json::parse(read(path(engine + ".json"))).at("tests").at(0);
  }

  // What of a report is the same whatever the engine and however fast it is.
  static std::string comparable(std::string text) {
    const auto replace = [&](const char* what, const char* by) {
      text = std::regex_replace(text, std::regex(what), by);
    };
    replace("after [0-9.]+ s", "after T");
    replace("execution(s?) in [0-9.]+ s \\([0-9]+/s\\)", "execution$1 in T");
    replace(", engine vm", "");
    replace("thrum replay (native|vm)/", "thrum replay ");
    replace("  What it leads to[^.]*\\.\n", "");
    return text;
  }

  void expect_same_reports(const std::string& source, int exit_code) {
    const std::string native = report("native", source, exit_code);
    EXPECT_EQ(comparable(report("vm", source, exit_code)), comparable(native));
    EXPECT_EQ(result_of("vm").at("verdict"), result_of("native").at("verdict"));
    EXPECT_EQ(result_of("vm").at("executions"), result_of("native").at("executions"));
    EXPECT_EQ(result_of("vm").at("engine"), "vm");
  }

  // The bug's trace shows the same on both engines.
  void expect_replays() {
    for (const std::string found_by : {"native", "vm"}) {
      for (const std::string engine : {"native", "vm"}) {
        const ChildResult again = with_thrum({"replay", "--engine", engine, found_by + "/bug-1.trace.json"});
        EXPECT_EQ(again.exit_code, 1) << found_by << " on " << engine << ": " << again.output << again.errors;
        EXPECT_NE(again.output.find("the same failure again, by the same operations"), std::string::npos)
            << found_by << " on " << engine << ": " << again.output;
      }
    }
  }

  void expect_refused(const ChildResult& result, const std::string& phrase) {
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.errors.find(phrase), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }
  ChildResult check_c(const std::string& text, const Words& options = {}) {
    write("program.c", text);
    Words words = {"check", "--engine", "vm"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("program.c");
    return with_thrum(words);
  }
};

TEST_F(VmCheck, ReportsOfCReadLikeTheNativeOnes) {
  for (const char* text : {kRaceInC, kDeadlockInC, kUseAfterFree}) {
    expect_same_reports(write("program.c", text), 1);
    expect_replays();
  }
}

TEST_F(VmCheck, ReportsOfCppReadLikeTheNativeOnes) {
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  for (const char* text : {kAssertion, kHeapRace}) {
    expect_same_reports(write("program.cpp", text), 1);
    expect_replays();
  }
}

TEST_F(VmCheck, Exceptions) {
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  report("vm", write("program.cpp", kException), 1);
  const json bug = result_of("vm").at("bugs").at(0);
  EXPECT_EQ(bug.at("kind"), "uncaught-exception");
}

TEST_F(VmCheck, CorrectProgramsAreExhausted) {
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  const std::string source = write("program.cpp", kCorrect);
  for (const std::string strategy : {"auto", "dfs", "icb", "dpor", "unfolding"}) {
    report("vm", source, 0, {"--strategy", strategy});
    report("native", source, 0, {"--strategy", strategy});
    EXPECT_EQ(result_of("vm").at("verdict"), "exhausted") << strategy;
    EXPECT_EQ(result_of("vm").at("executions"), result_of("native").at("executions")) << strategy;
  }
  report("vm", source, 0, {"--strategy", "random", "--executions", "50"});
  EXPECT_EQ(result_of("vm").at("executions"), 50);
}

TEST_F(VmCheck, ProgramsThatEndBeforeTheirFirstChoice) {
  EXPECT_EQ(check_c("int main(void) { return 0; }").exit_code, 0);
  const ChildResult failed = check_c("int main(void) { return 3; }");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.output.find("the program exits with status 3"), std::string::npos) << failed.output;
}

// The time ends a loop without operations, and one with them; before the first choice and behind it.
TEST_F(VmCheck, TheTimeEndsIt) {
  const std::string begin = "#include <pthread.h>\nvolatile int a;\nvoid* run(void* p) {";
  const std::string end =
      " return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); }\n";
  for (const std::string loop : {"for (unsigned i = 1; i != 0; i += 2) __asm__(\"\");", "for (;;) ++a;"}) {
    const ChildResult result = check_c(begin + loop + end, {"--time", "1", "--steps", "1000000000"});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_NE(result.output.find("the time ended"), std::string::npos) << result.output;
  }
  const ChildResult early = check_c("int main(void) { for (;;) __asm__(\"\"); }", {"--time", "1"});
  EXPECT_NE(early.output.find("the time ended before the program made its first choice"), std::string::npos)
      << early.output;
}

TEST_F(VmCheck, HangsAreBugs) {
  const ChildResult result = check_c("int main(void) { for (;;) __asm__(\"\"); }", {"--hang", "1"});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_NE(result.output.find("hang: 1 s without an instrumented operation"), std::string::npos)
      << result.output;
}

TEST_F(VmCheck, WhatIsNotKnownIsRefused) {
  expect_refused(
      check_c("int forkpty(int*, char*, void*, void*);\nint main(void) { return forkpty(0, 0, 0, 0); }",
              {"--compile-flags", "-lutil"}),
      "a call of forkpty, which is neither in the program's bitcode nor known to the machine");
  expect_refused(
      check_c("int main(void) { __asm__(\"cpuid\" : : : \"eax\", \"ebx\", \"ecx\", \"edx\"); return 0; }"),
      "cpuid");
  // A handler that goes on elsewhere.
  for (const auto& [changes, what] :
       {std::pair("REG_RIP] += 7", "program counter"), std::pair("REG_RAX] = 1", "registers")}) {
    const ChildResult moved = check_c(
        std::string("#define _GNU_SOURCE\n#include <signal.h>\n#include <pthread.h>\n#include <ucontext.h>\n"
                    "static void on(int n, siginfo_t* i, void* raw) {\n"
                    "  ucontext_t* c = raw; (void)n; (void)i; c->uc_mcontext.gregs[") +
        changes +
        "; }\nstatic void* run(void* p) { *(volatile int*)0 = 1; return p; }\n"
        "int main(void) { struct sigaction a = {.sa_sigaction = on, .sa_flags = SA_SIGINFO};\n"
        "  sigaction(SIGSEGV, &a, 0);\n"
        "  pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); }\n");
    EXPECT_EQ(moved.exit_code, 3) << moved.output << moved.errors;
    EXPECT_NE(moved.output.find("a handler of SIGSEGV that changes the " + std::string(what)),
              std::string::npos)
        << moved.output;
  }
  // What is called by address only is refused when it is called: nothing is claimed.
  const ChildResult late = check_c(
      "#include <stdlib.h>\n#include <pthread.h>\n"
      "static int (*volatile call)(const char*) = system;\n"
      "static void* run(void* p) { call(\"true\"); return p; }\n"
      "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); }\n");
  EXPECT_EQ(late.exit_code, 3) << late.output << late.errors;
  EXPECT_NE(late.output.find("the machine cannot run a call of system"), std::string::npos) << late.output;
}

TEST_F(VmCheck, BadBitcodeIsRefused) {
  write("program.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(with_thrum({"cc", "-O1", "program.c", "-o", "program"}).exit_code, 0);
  std::string text = read(path("program"));
  const std::size_t magic = text.find("BC\xC0\xDE");
  ASSERT_NE(magic, std::string::npos);
  std::string broken = text;
  for (std::size_t i = magic + 16; i < magic + 400; ++i) broken[i] = static_cast<char>(i * 7);
  write("program", broken);
  const ChildResult result = with_thrum({"check", "--engine", "vm", "program"});
  expect_refused(result, "bitcode");
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
}

TEST_F(VmCheck, WithoutTheCppLibrary) {
  write("program.cpp", "#include <stdexcept>\nint main() { throw std::runtime_error(\"\"); }\n");
  const ChildResult result = run({THRUM_PROGRAM, "check", "--engine", "vm", "program.cpp"}, path("."),
                                 {"XDG_CACHE_HOME=" + path("none")});
  expect_refused(result, "the C++ library is not there as bitcode: run thrum vm-library");
}

TEST_F(VmCheck, TheWorkerAlone) {
  const fs::path prefix = fs::path(THRUM_PROGRAM).parent_path().parent_path();
  const ChildResult result = run({(prefix / "lib/thrum/thrum-vm").string(), "program"}, path("."));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "thrum-vm: is started by thrum check --engine vm\n");
}

}  // namespace
