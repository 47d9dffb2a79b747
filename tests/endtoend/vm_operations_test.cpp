// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --engine vm: robust mutexes, mappings, inputs, signals, timers and the like. For programs of tests/programs
// that use them, both engines give the same verdicts, bugs and numbers of executions.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using nlohmann::json;

class VmOperations : public EndToEnd {
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
  bool has_cpp_library() { return with_thrum({"vm-library"}).exit_code == 0; }

  void build_program(const std::string& name) {
    const std::string source = THRUM_SOURCES "/tests/programs/" + name;
    Words words = {name.ends_with(".c") ? "cc" : "c++"};
    if (!name.ends_with(".c")) words.emplace_back("-std=c++20");
    words.insert(words.end(),
                 {"-O1", "-g", "-pthread", "-I" THRUM_SOURCES "/include", source, "-o", "program"});
    const ChildResult built = with_thrum(words);
    ASSERT_EQ(built.exit_code, 0) << name << ": " << built.errors;
  }

  // What a search of the program shows: verdict, kinds of bugs, executions.
  using Found = std::tuple<std::string, Words, int>;
  Found search(const std::string& engine, const Words& options, const std::string& the_case) {
    Words words = {"check", "--engine", engine, "--json", "result.json"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("program");
    if (!the_case.empty()) words.insert(words.end(), {"--", the_case});
    fs::remove(path("result.json"));
    const ChildResult result = with_thrum(words);
    if (!fs::exists(path("result.json"))) {
      ADD_FAILURE() << engine << " " << the_case << ": " << result.output << result.errors;
      return {};
    }
    const json test = json::parse(read(path("result.json"))).at("tests").at(0);
    Words kinds;
    for (const json& bug : test.at("bugs")) kinds.push_back(bug.at("kind"));
    return {test.at("verdict"), kinds, test.at("executions")};
  }
  void expect_same(const std::string& name, const Words& cases, const Words& options = {}) {
    build_program(name);
    for (const std::string& one : cases) {
      for (const Words& strategy : {Words{"dfs"}, Words{"dpor", "--waiting", "repeat"}}) {
        Words words = {"--strategy"};
        words.insert(words.end(), strategy.begin(), strategy.end());
        words.insert(words.end(), options.begin(), options.end());
        EXPECT_EQ(search("vm", words, one), search("native", words, one))
            << name << " " << one << " " << strategy.front();
      }
    }
  }
};

TEST_F(VmOperations, LocksAndTheirAttributes) {
  expect_same("correct/primitives/locks.c", {"prefer_writers", "condition", "barrier", "named_semaphore"});
  expect_same("correct/primitives/barrier_freed.c", {""});
  expect_same("correct/primitives/thread.c", {"robust", "robust_in_wait", "ceiling", "own_stack"});
  expect_same("wrong/primitives/mutex.c", {"pthread_mutex_consistent", "pthread_mutex_setprioceiling",
                                           "pthread_mutex_getprioceiling", "pthread_mutexattr_setrobust"});
}

TEST_F(VmOperations, InputsOfManyValues) {
  expect_same("correct/sv_style/nondet_input.c", {""});
  expect_same("wrong/primitives/verifier.c", {"nondet_int", "nondet_char"});
  // The first draw comes in an execution: the search begins again.
  expect_same("correct/primitives/verifier.c", {"wide_inputs"});
}

TEST_F(VmOperations, Annotations) {
  expect_same("uncontrolled/memory/races_meant.c", {"benign", "reads_left_out", "writes_left_out"});
}

TEST_F(VmOperations, MappedMemory) {
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  expect_same("correct/memory/mapped_in_execution.cpp", {""});
  expect_same("correct/memory/unmapped_and_protected.cpp", {""});
  expect_same("wrong/memory/use_after_unmap.cpp", {""});
}

TEST_F(VmOperations, LoopsThatCount) {
  expect_same("correct/spin/counts_before_fence.c", {""});
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  // They allocate and free in each round.
  expect_same("correct/polling/bookkeeping.cpp", {""});
}

TEST_F(VmOperations, VolatileRaces) {
  build_program("wrong/atomics/volatile_counter.c");
  const Words words = {"--strategy", "unfolding", "--keep-going", "--jobs", "1"};
  EXPECT_EQ(search("vm", words, ""), search("native", words, ""));
}

TEST_F(VmOperations, LoopsThatWait) {
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  for (const char* program : {"flag", "flag_yield", "sleep", "two_words"})
    expect_same("correct/spin/" + std::string(program) + ".cpp", {""});
  expect_same("correct/std_sync/atomic_shared_ptr.cpp", {""});
}

// What their first lines expect, on both engines, by a search that leaves out rounds and by one that does
// not. Threads of these programs poll, and do something else behind their loops.
TEST_F(VmOperations, LoopsThatAreLeft) {
  for (const auto& entry : fs::directory_iterator(THRUM_SOURCES "/tests/vm/waiting")) {
    std::ifstream source(entry.path());
    std::string line, verdict, kind;
    while (std::getline(source, line) && !line.starts_with("// expect: ")) {
    }
    std::istringstream(line.substr(std::min(line.size(), std::string("// expect: ").size()))) >> verdict >>
        kind;
    build_program("../vm/waiting/" + entry.path().filename().string());
    for (const Words& options :
         {Words{"--strategy", "dpor"}, Words{"--strategy", "icb", "--bound", "none"}}) {
      for (const char* engine : {"vm", "native"}) {
        const auto [found, kinds, executions] = search(engine, options, "");
        EXPECT_EQ(found, verdict) << entry.path() << " " << options[1] << " " << engine;
        EXPECT_EQ(kinds, kind.empty() ? Words{} : Words{kind})
            << entry.path() << " " << options[1] << " " << engine;
      }
    }
  }
}

TEST_F(VmOperations, SignalsAndTheirHandlers) {
  for (const char* const name : {"raise", "mask", "actions", "sigsuspend", "long_jump", "abort"})
    expect_same("correct/signal/" + std::string(name) + ".c", {""});
  expect_same("correct/signal/fault.c", {""}, {"--executions", "1000"});
  expect_same("correct/signal/fault_in_call.c", {""}, {"--executions", "1000"});
  for (const char* const name : {"handler_locks", "default_action", "fault", "siginterrupt", "sigpending"})
    expect_same("wrong/signal/" + std::string(name) + ".c", {""});
}

TEST_F(VmOperations, Traps) {
  expect_same("wrong/crash/trap.c", {"illegal", "breakpoint", "numbered", "default_again"});
}

TEST_F(VmOperations, MoreThreadsThanAreAliveAtOnce) {
  expect_same("correct/threads/one_after_another.c", {""});
}

TEST_F(VmOperations, WaitsForSignals) {
  expect_same("correct/signal/wait_sync.c", {""});
  expect_same("correct/signal/queue_realtime.c", {""});
  expect_same("correct/signal/interrupted_waits.c", {""});
  expect_same("wrong/signal/sigwait_lost.c", {""});
  expect_same("wrong/signal/interrupted_sem_wait.c", {""});
  expect_same("wrong/signal/pause.c", {""});
}

TEST_F(VmOperations, Timers) {
  expect_same("correct/timer/getitimer.c", {""});
  expect_same("correct/timer/thread.c", {""});
  expect_same("correct/timer/targets.c", {""});
  expect_same("wrong/timer/alarm.c", {""});
  expect_same("wrong/timer/posix.c", {""});
  expect_same("wrong/timer/gettime.c", {""});
}

TEST_F(VmOperations, Cancellation) {
  expect_same("correct/cancel/blocked.c", {""});
  expect_same("wrong/cancel/asynchronous.c", {""});
  expect_same("wrong/cancel/cleanup_pop.c", {""});
  expect_same("wrong/cancel/set_state.c", {""});
  expect_same("wrong/cancel/write.c", {""});
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  expect_same("correct/cancel/cpp_cleanup.cpp", {""});
  expect_same("wrong/cancel/swallowed.cpp", {""});
}

TEST_F(VmOperations, Invariants) {
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  expect_same("correct/thrum/invariant.cpp", {""});
  expect_same("wrong/thrum/invariant.cpp", {""});
  expect_same("wrong/thrum/invariant_that_locks.cpp", {""});
}

TEST_F(VmOperations, TestsThatAreClosures) {
  if (!has_cpp_library()) GTEST_SKIP() << "the sources of GCC are not installed";
  expect_same("correct/thrum/check.cpp", {""});
  expect_same("wrong/thrum/check.cpp", {""});
}

}  // namespace
