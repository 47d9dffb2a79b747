// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every bug replays, from a fresh process each time: the same operations and the same failure.
#include <filesystem>
#include <fstream>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int kReplayTimes = 20;
const char* const kExamples[] = {"work_stealing_queue_bug1.cpp",
                                 "work_stealing_queue_bug2.cpp",
                                 "work_stealing_queue_bug3.cpp",
                                 "bluetooth.cpp",
                                 "treiber_aba.cpp",
                                 "lost_wakeup.cpp",
                                 "abba_deadlock.cpp",
                                 "refcount.cpp",
                                 "atomic_wait_no_notify.cpp"};

class Replay : public EndToEnd, public testing::WithParamInterface<const char*> {
 protected:
  // Checks the program and returns the path of its bug's trace.
  std::string find_bug() {
    program_ = build(example(GetParam()));
    check({program_}, 1);
    return path("thrum-out/bug-1.trace.json");
  }

  void expect_same(const ChildResult& result) {
    EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
    EXPECT_NE(result.output.find("the same failure again, by the same operations"), std::string::npos)
        << result.output;
  }

  std::string program_;
};

TEST_P(Replay, AnywhereAndAlways) {
  std::string trace = find_bug();
  for (int i = 0; i < kReplayTimes; ++i) {
    bool elsewhere = i % 2 == 1;
    std::vector<std::string> environment;
    if (i % 4 >= 2)
      environment.push_back("THRUM_TEST_FILLER=" + std::string(static_cast<std::size_t>(1000 * i + 1), 'x'));
    expect_same(run({THRUM_PROGRAM, "replay", trace}, elsewhere ? "/" : path(""), environment));
  }
}

TEST_P(Replay, WithRandomisedAddresses) {
  std::string trace = find_bug();
  for (int i = 0; i < kReplayTimes; ++i)
    expect_same(run({DENY_CALL, "personality", THRUM_PROGRAM, "replay", trace}, path("")));
  // Found there, too, and by the same schedule.
  ChildResult found =
      run({DENY_CALL, "personality", THRUM_PROGRAM, "check", "--out", "randomised", program_}, path(""));
  EXPECT_EQ(found.exit_code, 1) << found.output << found.errors;
  expect_same(run({THRUM_PROGRAM, "replay", path("randomised/bug-1.trace.json")}, path("")));
}

TEST_P(Replay, OnSystemThreads) {
  std::string trace = find_bug();
  expect_same(thrum({"replay", trace, "--threads", "system"}));
  // And the other way round.
  check({program_, "--threads", "system"}, 1);
  expect_same(thrum({"replay", path("thrum-out/bug-1.trace.json")}));
}

TEST_P(Replay, ShownWithoutTheProgram) {
  std::string trace = find_bug();
  fs::remove(program_);
  ChildResult shown = thrum({"show", trace});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_NE(shown.output.find("source"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Examples, Replay, testing::ValuesIn(kExamples),
                         [](const auto& parameter) { return fs::path(parameter.param).stem().string(); });

class ReplayOnce : public EndToEnd {};

TEST_F(ReplayOnce, FromSources) {
  check({example("bluetooth.cpp")}, 1);
  ChildResult result = thrum({"replay", "thrum-out/bug-1.trace.json"});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
}

TEST_F(ReplayOnce, PassesWhenTheBugIsGone) {
  std::string source = write("program.cpp", read(example("bluetooth.cpp")));
  check({source, "--compile-flags", "-DFIXED=0"}, 1);
  // The same operations, without the assertion.
  std::string text = read(source);
  std::size_t assertion = text.find("assert(!stopped");
  ASSERT_NE(assertion, std::string::npos);
  write("program.cpp", text.replace(assertion, 7, "(void)("));
  ChildResult result = thrum({"replay", "thrum-out/bug-1.trace.json"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST_F(ReplayOnce, DepartsFromTheTrace) {
  std::string source = write("program.cpp", read(example("bluetooth.cpp")));
  check({source}, 1);
  std::string text = read(source);
  std::size_t main_begin = text.find("int main() {");
  ASSERT_NE(main_begin, std::string::npos);
  // More to do before what the schedule expects.
  write("program.cpp", text.insert(main_begin + 12, "\n  std::thread(request).join();\n"));
  ChildResult result = thrum({"replay", "thrum-out/bug-1.trace.json"});
  EXPECT_EQ(result.exit_code, 3) << result.output << result.errors;
  EXPECT_NE(result.output.find("departed from the trace: event"), std::string::npos) << result.output;
}

// The environment lies above main's frames, and what they hold has the same place by whatever length.
TEST_F(ReplayOnce, InAnotherEnvironment) {
  std::string source = write("local.cpp", R"(#include <atomic>
#include <cassert>
#include <thread>
int main() {
  std::atomic<int> first{0}, second{0};
  std::thread writer([&] { first = 1; second = 1; });
  int last = second;
  assert(first == last);
  writer.join();
}
)");
  check({source}, 1);
  for (std::size_t length : {10, 500, 4095}) {
    ChildResult result = run({THRUM_PROGRAM, "replay", path("thrum-out/bug-1.trace.json")}, path(""),
                             {"MORE=" + std::string(length, 'x')});
    EXPECT_EQ(result.exit_code, 1) << length << "\n" << result.output;
  }
}

// What a program draws follows from the seed of the check.
TEST_F(ReplayOnce, RandomNumbersAreThoseOfTheCheck) {
  std::string source = write("draws.cpp", R"(#include <atomic>
#include <cassert>
#include <random>
#include <thread>
std::atomic<unsigned> drawn{0};
int main() {
  std::thread([] { drawn = std::random_device()(); }).join();
  assert(drawn != drawn);
}
)");
  check({source, "--seed", "7"}, 1);
  ChildResult result = thrum({"replay", "thrum-out/bug-1.trace.json"});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
}

TEST_F(ReplayOnce, OutputIsLive) {
  std::string source =
      write("talks.cpp",
            "#include <cstdio>\n#include <cstdlib>\n#include <thread>\n"
            "int main() { std::thread([] { std::puts(\"from the thread\"); std::abort(); }).join(); }\n");
  std::string program = build(source);
  check({program}, 1);
  ChildResult result = thrum({"replay", "thrum-out/bug-1.trace.json"});
  EXPECT_NE(result.output.find("from the thread"), std::string::npos) << result.output;
}

TEST_F(ReplayOnce, ProgramIsGone) {
  std::string program = build(example("refcount.cpp"));
  check({program}, 1);
  fs::remove(program);
  ChildResult result = thrum({"replay", "thrum-out/bug-1.trace.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("No such file"), std::string::npos);
}

}  // namespace
