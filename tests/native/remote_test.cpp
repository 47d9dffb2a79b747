// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled program that a search leads from this process gives what it gives to a search inside it.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "campaign/session.hpp"
#include "campaign/strategies.hpp"
#include "native/workshop.hpp"
#include "supervisor/worker.hpp"

namespace thrum {
namespace {

// Two threads that add to a counter without a lock.
constexpr const char* kLostUpdate = R"(
#include <atomic>
#include <cassert>
#include <thread>
int main() {
  std::atomic<int> counter{0};
  auto add = [&] {
    int before = counter;
    counter = before + 1;
  };
  std::thread first(add), second(add);
  first.join();
  second.join();
  assert(counter == 2);
})";

// Many events, while a second thread could run.
constexpr const char* kLong = R"(
#include <atomic>
#include <thread>
int main() {
  std::atomic<int> counter{0};
  std::thread second([&] { counter = counter - 1; });
  for (int i = 0; i < 50000; ++i) counter = counter + 1;
  second.join();
})";

class Remote : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(workshop_.compile("program", kLostUpdate), "");
    settings_.program = workshop_.path("program");
    settings_.time_seconds = 60;
    job_.led = true;
  }

  SearchResult search(Program& program, const char* strategy, bool keep_going) {
    Session::Host host;
    SessionSettings settings;
    settings.make = [strategy](bool) { return make_strategy(strategy, {}); };
    settings.limits.out_of_time = [] { return false; };
    settings.limits.announce = [](const Plan&) {};
    settings.limits.now = [] { return 0.0; };
    settings.limits.keep_going = keep_going;
    return Session(program, host, settings).run();
  }

  Workshop workshop_;
  WorkerSettings settings_;
  Job job_;
  ThreadNames names_;
};

TEST_F(Remote, GivesTheSameExecutionsAsInside) {
  SearchResult outside;
  settings_.lead = [&](Program& program) { outside = search(program, "dfs", true); };
  const WorkerOutcome led = run_worker(settings_, job_, names_);
  EXPECT_EQ(led.problem, "");
  EXPECT_TRUE(led.reported);

  job_.led = false;
  job_.strategy = "dfs";
  job_.keep_going = true;
  settings_.lead = nullptr;
  ThreadNames names;
  const WorkerOutcome inside = run_worker(settings_, job_, names);
  const SearchResult& result = inside.report.result;
  EXPECT_EQ(outside.end, SearchEnd::exhausted) << outside.lost_reason;
  EXPECT_EQ(outside.executions, result.executions);
  EXPECT_EQ(outside.guarantee.complete, result.guarantee.complete);
  ASSERT_EQ(outside.bugs.size(), 1u);
  ASSERT_EQ(result.bugs.size(), 1u);
  EXPECT_EQ(outside.bugs[0].failure.message, result.bugs[0].failure.message);
  EXPECT_EQ(outside.bugs[0].preemptions, result.bugs[0].preemptions);
  EXPECT_FALSE(outside.bugs[0].simplified) << "nobody advises across processes";
  EXPECT_EQ(outside.bugs[0].unconfirmed, "");
  // A few more ran there to confirm the bug.
  EXPECT_GE(led.report.result.executions, outside.executions);
}

TEST_F(Remote, IsSearchedWithEventsToo) {
  SearchResult outside;
  settings_.lead = [&](Program& program) { outside = search(program, "best-first", true); };
  EXPECT_EQ(run_worker(settings_, job_, names_).problem, "");
  EXPECT_EQ(outside.end, SearchEnd::exhausted) << outside.lost_reason;
  EXPECT_EQ(outside.bugs.size(), 1u);
}

// What cannot be done across processes is said, and nothing is claimed.
TEST_F(Remote, IsNotSearchedByWhoDecidesWhileItRuns) {
  SearchResult outside;
  settings_.lead = [&](Program& program) { outside = search(program, "dpor", true); };
  EXPECT_EQ(run_worker(settings_, job_, names_).problem, "");
  EXPECT_EQ(outside.end, SearchEnd::lost_control);
  EXPECT_NE(outside.lost_reason.find("decides while executions run"), std::string::npos)
      << outside.lost_reason;
  EXPECT_FALSE(outside.guarantee.complete);
  EXPECT_FALSE(outside.guarantee.exhausted);
}

// A trace of more than one piece, and a plan of more than one.
TEST_F(Remote, PassesMessagesOfAnySize) {
  ASSERT_EQ(workshop_.compile("program", kLong), "");
  settings_.lead = [&](Program& program) {
    Trace trace;
    program.run({}, nullptr, Wanted::all_events(), trace);
    EXPECT_EQ(trace.end, End::finished);
    ASSERT_GT(trace.events.size(), 100'000u);
    Plan plan;
    for (std::size_t i = 0; i < trace.choices.size(); ++i) {
      const ChoicePoint& point = trace.choices[i];
      plan.departures.push_back({point.key, trace.options_of(point)[point.taken]});
    }
    ASSERT_GT(plan.departures.size(), 90'000u);
    Trace again;
    program.run(plan, nullptr, Wanted::all_events(), again);
    EXPECT_EQ(again.end, End::finished);
    EXPECT_EQ(again.events, trace.events);
  };
  EXPECT_EQ(run_worker(settings_, job_, names_).problem, "");
}

// Nobody waits for a worker that is not there any more, nor for a leader that goes on.
TEST_F(Remote, EndsWithItsTime) {
  settings_.time_seconds = 0.5;
  std::uint64_t executions = 0;
  settings_.lead = [&](Program& program) {
    Trace trace;
    do {
      program.run({}, nullptr, Wanted::new_choices(), trace);
      ++executions;
    } while (trace.end != End::time);
  };
  run_worker(settings_, job_, names_);
  EXPECT_GT(executions, 1u);
}

}  // namespace
}  // namespace thrum
