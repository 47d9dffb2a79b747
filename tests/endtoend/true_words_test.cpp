// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reports say of an execution is so: values, who frees what, what a thread waits for, and one schedule
// told by counts and table alike.
#include <string>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

class TrueWords : public EndToEnd {
 protected:
  // The report of a program with a bug; empty, and the test fails, where none is found.
  std::string report(const std::string& text) {
    ChildResult result = thrum({"check", write("program.cpp", text), "--compile-flags=-O0"});
    EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
    return result.output;
  }
  static void expect_words(const std::string& report, const std::string& words) {
    EXPECT_NE(report.find(words), std::string::npos) << words << "\n" << report;
  }
  static void expect_no_words(const std::string& report, const std::string& words) {
    EXPECT_EQ(report.find(words), std::string::npos) << words << "\n" << report;
  }
};

TEST_F(TrueWords, VolatileAccessesShowTheirValues) {
  std::string text = report(R"(
#include <cassert>
#include <thread>
volatile int ticks = 0;
int target;
int* volatile where = nullptr;
volatile signed char small = 0;
int main() {
  std::thread t([] { ticks = ticks + 1; ticks = 7; where = &target; small = -3; });
  t.join();
  assert(ticks == 8 && where && small);
})");
  for (const char* words : {"ticks -> 0", "ticks = 1", "ticks = 7", "where = &target", "ticks -> 7"})
    expect_words(text, words);
}

TEST_F(TrueWords, AVolatileWriteShowsItsValueBeforeItsMemoryIsFreed) {
  std::string text = report(R"(
#include <cassert>
#include <thread>
struct Flag { volatile long raised = 0; };
int main() {
  Flag* flag = new Flag;
  std::thread t([flag] { flag->raised = 41; delete flag; });
  t.join();
  assert(false);
})");
  expect_words(text, "= 41");
}

TEST_F(TrueWords, AVolatileWriteThatFaultsIsACrash) {
  std::string text = report(R"(
#include <thread>
volatile int* wild = nullptr;
int main() {
  std::thread t([] { *wild = 1; });
  t.join();
})");
  expect_words(text, "crash: segmentation fault (null pointer)");
}

constexpr const char* kSignalProgram = R"(
#include <cassert>
#include <csignal>
#include <thread>
#include <unistd.h>
volatile sig_atomic_t ticks = 0;
void handler(int) { ticks = ticks + 1; }
int main() {
  std::signal(SIGUSR1, handler);
  std::thread t([] { kill(getpid(), SIGUSR1); });
)";

TEST_F(TrueWords, ASignalThatComesBeforeTheWaitDoesNotEndIt) {
  std::string text = report(std::string(kSignalProgram) + "while (!ticks) pause();\nt.join();\n}");
  expect_words(text, "deadlock");
  expect_words(text, "is about to wait");
  expect_words(text, "handles SIGUSR1 (before it waits)");
  expect_words(text, "ticks = 1");
  expect_no_words(text, "waits for a signal (until");
}

TEST_F(TrueWords, ASignalThatEndsTheWaitIsWaitedFor) {
  std::string text = report(std::string(kSignalProgram) + "pause();\nt.join();\nassert(!ticks);\n}");
  expect_words(text, "waits for a signal (until");
  expect_no_words(text, "before it waits");
}

std::string freeing(const std::string& make, const std::string& free, const std::string& order) {
  return R"(
#include <cstdlib>
#include <thread>
struct Thing { long words[8]; };
long seen;
int main() {
  auto* thing = static_cast<Thing*>()" +
         make + R"();
  thing->words[5] = 1;
  std::thread other([thing] { )" +
         (order == "read first" ? "seen = thing->words[5];" : free) + R"( });
  )" + (order == "read first" ? free : "seen = thing->words[5];") +
         R"(
  other.join();
})";
}

TEST_F(TrueWords, AFreeIsOfTheWholeBlock) {
  for (const char* make : {"std::malloc(64)", "std::calloc(8, 8)"}) {
    std::string text = report(freeing(make, "std::free(thing);", "read first"));
    expect_words(text, "frees block 1");
    expect_words(text, "Free of block 1 (64 bytes)");
    expect_words(text, "Read of block 1+40 (8 bytes)");
  }
}

TEST_F(TrueWords, AFreeThatComesFirstIsOfTheWholeBlockToo) {
  std::string text = report(freeing("std::malloc(64)", "std::free(thing);", "free first"));
  expect_words(text, "frees block 1");
  expect_words(text, "Free of block 1 (64 bytes)");
}

TEST_F(TrueWords, AnAlignedBlockIsFreedTwice) {
  const std::string text = report(R"(
#include <atomic>
#include <thread>
struct alignas(64) Wide { char bytes[64]; };
std::atomic<bool> is_freed;
int main() {
  Wide* const wide = new Wide;
  const auto drop = [wide] { if (!is_freed) { is_freed = true; delete wide; } };
  std::thread first(drop), second(drop);
  first.join();
  second.join();
})");
  expect_words(text, "frees block 1");
  expect_words(text, "double-free: a block is freed twice");
}

constexpr const char* kStretch = R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> ready{0};
int data = 0;
int main() {
)";

// What a new thread does before its first operation is no choice, and nobody is preempted for it.
TEST_F(TrueWords, AThreadsBeginningPreemptsNobody) {
  std::string text = report(std::string(kStretch) + R"(
  std::thread t([] { data = 1; ready = 1; });
  int s = ready.load() == 1 ? 0 : data;
  t.join();
  return s > 100;
})");
  expect_words(text, "  0 preemptions\n");
  expect_words(text, "  2 switches of threads");
  expect_no_words(text, "preempted before");
}

TEST_F(TrueWords, APreemptionRightBehindACreationIsShown) {
  std::string text = report(std::string(kStretch) + R"(
  std::thread t([] { data = 1; ready = 1; });
  assert(ready.load() == 0);
  t.join();
})");
  expect_words(text, "  1 preemption;");
  expect_words(text, "preempted before: ready -> 1");
}

// ---- Weaker atomics ------------------------------------------------------------------------------

json one_test(const json& result) { return result.at("tests").at(0); }

std::string message_passing(const std::string& store, const std::string& load) {
  return R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> data{0}, flag{0};
int main() {
  std::thread a([] { data.store(1, )" +
         store + R"(); flag.store(1, )" + store + R"(); });
  if (flag.load()" +
         load + R"()) assert(data.load()" + load + R"() == 1);
  a.join();
})";
}

TEST_F(TrueWords, WeakerAtomicsAreSaidInTheHeadlineAndTheGuarantee) {
  const std::string words = ", under sequential consistency";
  for (const char* orders : {"relaxed", "release"}) {
    const std::string store = std::string("std::memory_order_") + orders;
    const std::string load = store == "std::memory_order_release" ? "std::memory_order_acquire" : store;
    write("weak.cpp", message_passing(store, load));
    ChildResult text = thrum({"check", "weak.cpp"});
    expect_words(text.output, "NO BUG: all schedules were run" + words + ".");
    expect_words(text.output, "Covered: every schedule" + words + ".");
    json test = one_test(check({"weak.cpp"}, 0));
    EXPECT_EQ(test.at("guarantee").at("text"), "every schedule" + words);
    EXPECT_EQ(test.at("complete"), true);
  }
}

TEST_F(TrueWords, AtomicsThatAskForAllNeedNoSuchWords) {
  write("strong.cpp", message_passing("std::memory_order_seq_cst", ""));
  json test = one_test(check({"strong.cpp"}, 0));
  EXPECT_EQ(test.at("reason"), "all schedules were run");
  EXPECT_EQ(test.at("guarantee").at("text"), "every schedule");
}

// ---- The standard input --------------------------------------------------------------------------

class StandardInput : public TrueWords {
 protected:
  // What a check says of a program that reads a line, with "hello" as its standard input.
  ChildResult check_with_input(const std::string& before, const std::string& behind, const std::string& input,
                               const std::string& options = "") {
    write("reads.cpp",
          "#include <iostream>\n#include <string>\n#include <thread>\nint main() {\n"
          "std::string line;\n" +
              before + "std::thread([] {}).join();\n" + behind + "return line != \"hello\";\n}\n");
    write("input", "hello\nworld\n");
    return run({"sh", "-c",
                input == "|" ? "cat input | " THRUM_PROGRAM " check " + options + " reads.cpp"
                             : THRUM_PROGRAM " check " + options + " reads.cpp < " + input},
               path(""));
  }
  static constexpr const char* kRead = "std::getline(std::cin, line);\n";
};

TEST_F(StandardInput, OfAFileIsGivenToEachExecution) {
  for (const char* options : {"", "--jobs 2"}) {
    EXPECT_EQ(check_with_input(kRead, "", "input", options).exit_code, 0);
    ChildResult result = check_with_input("", kRead, "input", options);
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    expect_words(result.output, "NO BUG: all schedules were run.");
  }
}

// One process searches with either heap, so that the second begins where the first did.
TEST_F(StandardInput, OfAFileIsGivenToEachProcess) {
  ChildResult result = check_with_input(kRead, "", "input", "--heap both");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST_F(StandardInput, OfAPipeIsSaidToBeTakenAsEmpty) {
  ChildResult result = check_with_input("", kRead, "|");
  std::string text = result.output;
  for (std::size_t at; (at = text.find("\n    ")) != std::string::npos;) text.replace(at, 5, " ");
  expect_words(
      text, "reads its standard input, which was taken as empty, since it is no file; give it one (< FILE)");
}

TEST_F(StandardInput, ThatIsEmptyNeedsNoWords) {
  ChildResult result = check_with_input("", kRead, "/dev/null");
  EXPECT_EQ(result.exit_code, 1) << "the line is empty";
  expect_no_words(result.output, "standard input");
}

}  // namespace
