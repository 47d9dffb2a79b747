// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long ends of executions are run once for each state in which main comes to be alone. Where all events are
// written down they are run each time; both must give the same result.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

class KnownEnds : public EndToEnd {
 protected:
  // Two threads that lose updates of `n`, and an end of main's in `end`, where work() is long.
  json check_both(const std::string& end, int exit_code, const std::vector<std::string>& options = {}) {
    std::string source = write("end.cpp", R"(
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>
std::atomic<int> n;
extern "C" bool __VERIFIER_nondet_bool();
int work() {
  std::map<int, int> all;
  for (int i = 0; i < 300; ++i) all[i] = i * n;
  int sum = 0;
  for (auto [key, value] : all) sum += value;
  return sum;
}
void lose() { for (int i = 0; i < 2; ++i) { int x = n.load(); n.store(x + 1); } }
int main() {
  std::map<int, int> set_up;
  for (int i = 0; i < 300; ++i) set_up[i] = i;
)" + end + "}\n");
    std::string program = build(source);
    std::vector<std::string> arguments{program, "--keep-going"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    if (!options.empty()) return compare(arguments, exit_code);
    arguments.insert(arguments.end(), {"--strategy", "dpor"});
    compare(arguments, exit_code);
    arguments.back() = "auto";
    return compare(arguments, exit_code);
  }

 private:
  json compare(std::vector<std::string> arguments, int exit_code) {
    arguments.insert(arguments.end(), {"--jobs", "1"});  // the same executions
    json known = check(arguments, exit_code);
    arguments.emplace_back("--trace-digest");
    json each = check(arguments, exit_code);
    const json& test = known["tests"][0];
    for (const char* field : {"verdict", "executions", "steps", "complete", "happens_before_classes"})
      EXPECT_EQ(test[field], each["tests"][0][field]) << field;
    EXPECT_EQ(test["bugs"].size(), each["tests"][0]["bugs"].size());
    return test;
  }
};

TEST_F(KnownEnds, OneOutcomeOfSeveralFails) {
  json test = check_both("std::thread a(lose), b(lose); a.join(); b.join(); assert(work() != 2 * 44850);", 1);
  EXPECT_EQ(test["bugs"].size(), 1);
}

TEST_F(KnownEnds, NoneFails) {
  json test = check_both("std::thread a(lose), b(lose); a.join(); b.join(); assert(work() <= 4 * 44850);", 0);
  EXPECT_EQ(test["complete"], true);
}

TEST_F(KnownEnds, OutcomesLieOnTheHeapAndOnTheStack) {
  check_both(R"(
    std::unique_ptr<int> his;
    int on_stack = 0;
    std::thread a([&] { his = std::make_unique<int>(0); lose(); *his = n; });
    auto mine = std::make_unique<int>(0);
    std::thread b([&] { *mine = n; lose(); on_stack = n; });
    a.join(); b.join(); n = 0; work();
    assert(*his != 3 || *mine != 1 || on_stack != 3);)",
             1);
}

TEST_F(KnownEnds, TheStackOfAThreadThatHasEnded) {
  check_both(R"(
    volatile int* left = nullptr;
    std::thread a([&] { volatile int deep[10'000]; left = deep; lose(); deep[0] = n; }), b(lose);
    a.join(); b.join(); work();
    assert(*left != 3);)",
             1);
}

// With random choices no plan is left to follow when main is alone the first time.
const std::vector<std::string> kAtRandom{"--strategy", "random", "--executions", "1000"};

TEST_F(KnownEnds, ThreadsInTheEnd) {
  std::string end = R"(
    std::thread a(lose); a.join(); work();
    std::thread b(lose), c(lose); b.join(); c.join(); work();
    assert(n != 5);)";
  check_both(end, 1);
  check_both(end, 1, kAtRandom);
}

TEST_F(KnownEnds, AChoiceInTheEnd) {
  std::string end = "std::thread a(lose); a.join(); work(); assert(!__VERIFIER_nondet_bool());";
  check_both(end, 1);
  check_both(end, 1, kAtRandom);
}

TEST_F(KnownEnds, ACallInTheEnd) {
  check_both(R"(
    std::thread a(lose), b(lose); a.join(); b.join(); work();
    std::puts("done"); std::fflush(stdout); work();
    if (n == 3) std::exit(7);)",
             1, kAtRandom);
}

TEST_F(KnownEnds, AWaitingLoopInTheEnd) {
  check_both(R"(
    std::thread a(lose), b(lose); a.join(); b.join(); work();
    while (n.load() == 3) std::this_thread::yield();)",
             1);
}

}  // namespace
