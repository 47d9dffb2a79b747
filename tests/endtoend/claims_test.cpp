// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is claimed rests on executions that ran to their end: guarantee.cut names what cut the others, and the
// bounds that those belong to stay open.
#include <filesystem>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

// Each case is a program of its own, by the first argument.
constexpr const char* kProgram = R"(
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <thrum/thrum.h>

std::atomic<int> flag{0}, other{0};

void read_what_nobody_writes() {
  int ends[2];
  char byte;
  if (pipe(ends) == 0 && read(ends[0], &byte, 1) == 1) flag = 2;
}

void wake_a_loop_by_a_descriptor() {
  const int event = eventfd(0, 0), queue = epoll_create1(0);
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  epoll_ctl(queue, EPOLL_CTL_ADD, event, &wanted);
  std::thread loop([&] {
    epoll_event out;
    uint64_t value;
    while (!flag) {
      if (epoll_wait(queue, &out, 1, -1) == 1 && read(event, &value, sizeof value) < 0) abort();
    }
  });
  flag = 1;
  const uint64_t one = 1;
  if (write(event, &one, sizeof one) < 0) abort();
  loop.join();
}

void* ends(void* unused) {
  flag.fetch_add(1);  // it lives until main lets it
  return unused;
}

// So many that live at once, main apart.
void start_threads(int count) {
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, ends, nullptr);
    pthread_detach(thread);
  }
}

void two_inside(int count) {
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, [](void* unused) -> void* {
      assert(flag.fetch_add(1) == 0);
      flag.fetch_sub(1);
      return unused;
    }, nullptr);
    pthread_detach(thread);
  }
}

void on_a_thread(std::string_view what) {
  std::thread setter([] { flag = 1; });
  const bool early = flag == 0;
  if (what == "fork_late" && !early) fork();
  if (what == "fork_early" && early) fork();
  if (what == "never_forks" && flag == 7) fork();
  if (what == "bug_beside_fork") {
    if (early) fork();
    assert(early && "fails where the call is not made");
  }
  if (what == "cut_early" && early) while (other.fetch_add(1) < 400) {}
  if (what == "cut_late" && !early) while (other.fetch_add(1) < 400) {}
  if (what == "bug_behind_cut") {
    if (early) while (other.fetch_add(1) < 400) {}
    assert(false && "in every schedule");
  }
  setter.join();
  if (what == "fork_always") fork();
  if (what == "exec_always") execl("/bin/true", "true", nullptr);
  if (what == "read_always") read_what_nobody_writes();
  if (what == "memory_always") for (;;) *static_cast<volatile char*>(malloc(1 << 20)) = 1;
  if (what == "steps_always") for (;;) other.fetch_add(1);
  if (what == "assumes_nothing_true") thrum_assume(flag == 2);
  if (what == "assumes_some_true") thrum_assume(early);
}

int main(int, char** arguments) {
  const std::string_view what = arguments[1];
  if (what == "assumes_at_once") thrum_assume(flag == 2);
  if (what == "wakes_by_descriptor") wake_a_loop_by_a_descriptor();
  else if (what == "threads_as_many_as_may_be") start_threads(1023);
  else if (what == "threads_too_many") start_threads(1024);
  else if (what == "threads_without_end") two_inside(1 << 20);
  else on_a_thread(what);
}
)";

class ClaimsRest : public EndToEnd {
 protected:
  // The test of the result of checking the program's case.
  json search(const std::string& name, int code, const std::vector<std::string>& options = {}) {
    const std::string program = path("program");
    if (!std::filesystem::exists(program)) {
      const std::string source = write("program.cpp", kProgram);
      EXPECT_EQ(thrum({"c++", "-std=c++20", "-O1", "-g", source, "-o", program}).exit_code, 0);
    }
    std::vector<std::string> words = {program};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", name});
    return check(words, code)["tests"][0];
  }

  static json cut(const json& test) { return test["guarantee"]["cut"]; }
  static std::string covered(const json& test) { return test["guarantee"]["text"]; }
};

const std::vector<std::string> kIcb = {"--strategy", "icb", "--jobs", "1"};

TEST_F(ClaimsRest, OnNothingWhereEachExecutionIsCut) {
  const std::pair<const char*, const char*> cases[] = {
      {"fork_always", "refused-call"}, {"exec_always", "refused-call"}, {"read_always", "refused-call"},
      {"memory_always", "memory"},     {"steps_always", "steps"},
  };
  for (const auto& [name, kind] : cases) {
    const json test = search(name, 3, {"--steps", "300", "--program-memory", "64M", "--jobs", "1"});
    EXPECT_EQ(test["verdict"], "inconclusive") << name;
    EXPECT_FALSE(test["complete"]);
    EXPECT_EQ(covered(test), "nothing: no bound was completed") << name;
    ASSERT_EQ(cut(test).size(), 1u) << name;
    EXPECT_EQ(cut(test)[0]["kind"], kind);
    EXPECT_EQ(cut(test)[0]["count"], test["executions"]);
    for (const json& bound : test["guarantee"]["bounds"]) EXPECT_TRUE(bound["completed"].is_null());
  }
}

TEST_F(ClaimsRest, OnTheBoundsBelowTheCheapestCut) {
  const json late = search("fork_late", 3, kIcb);
  EXPECT_EQ(covered(late), "every schedule with 0 preemptions");
  EXPECT_EQ(late["guarantee"]["bounds"][0]["completed"], 0);
  EXPECT_EQ(cut(late)[0]["kind"], "refused-call");
  EXPECT_GT(late["executions"], cut(late)[0]["count"]) << "the search goes on behind a cut";
  EXPECT_EQ(covered(search("fork_early", 3, kIcb)), "nothing: no bound was completed");
  std::vector<std::string> few = kIcb;
  few.insert(few.end(), {"--steps", "300"});
  EXPECT_EQ(covered(search("cut_late", 3, few)), "every schedule with 0 preemptions");
  EXPECT_EQ(covered(search("cut_early", 3, few)), "nothing: no bound was completed");
  // It goes on behind such calls in each execution, and others end there.
  const json behind = search("wakes_by_descriptor", 3, kIcb);
  EXPECT_EQ(covered(behind), "nothing: no bound was completed");
  EXPECT_EQ(cut(behind)[0]["kind"], "refused-call");
  EXPECT_EQ(cut(behind)[1]["kind"], "uncontrolled-call");
}

TEST_F(ClaimsRest, OnAllOfWhatIsNeverCut) {
  for (const char* name : {"never_forks", "cut_early", "fork_nowhere"}) {
    const json test = search(name, 0);
    EXPECT_EQ(test["verdict"], "exhausted") << name;
    EXPECT_TRUE(test["complete"]);
    EXPECT_TRUE(cut(test).empty());
  }
}

TEST_F(ClaimsRest, AndBugsAreFoundBesideCuts) {
  const json beside = search("bug_beside_fork", 1);
  EXPECT_EQ(beside["bugs"][0]["kind"], "assertion");
  const json behind = search("bug_behind_cut", 1, {"--steps", "300"});
  EXPECT_EQ(behind["bugs"][0]["kind"], "assertion");
  EXPECT_EQ(behind["bugs"][0]["preemptions"], 1);
  EXPECT_EQ(behind["bugs"][0]["preemptions_minimal"], "best-found") << "it fails with 0 behind the cut, too";
  EXPECT_EQ(search("bug_behind_cut", 1)["bugs"][0]["preemptions"], 0);
}

TEST_F(ClaimsRest, OnExecutionsThatPassTheAssumptions) {
  for (const char* name : {"assumes_nothing_true", "assumes_at_once"}) {
    const json test = search(name, 3);
    EXPECT_EQ(test["verdict"], "inconclusive") << name;
    EXPECT_EQ(test["reason"], "no execution passed the assumptions, so nothing was checked");
    EXPECT_FALSE(test["complete"]);
  }
  const json some = search("assumes_some_true", 0);
  EXPECT_EQ(some["verdict"], "exhausted");
  EXPECT_TRUE(some["complete"]) << "a false assumption weakens nothing";
}

TEST_F(ClaimsRest, OnExecutionsWithinTheLimitOfThreads) {
  EXPECT_EQ(search("threads_as_many_as_may_be", 0, {"--executions", "2"})["guarantee"]["cut"], json::array());
  const json test = search("threads_too_many", 3, {"--strategy", "icb", "--executions", "4", "--jobs", "1"});
  EXPECT_EQ(cut(test)[0]["kind"], "threads");
  EXPECT_EQ(test["executions"], 4) << "the search goes on";
  EXPECT_EQ(covered(test), "nothing: no bound was completed");
  const json bug = search("threads_without_end", 1, {"--strategy", "random", "--executions", "20"});
  EXPECT_EQ(bug["bugs"][0]["kind"], "assertion");
}

}  // namespace
