// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "oracle/random_program.hpp"
#include "oracle/toy_program.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {
namespace {

TEST(ToyCode, PrintsAndParses) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    ToyCode code = random_program(seed, Family::b, 1'000).code;
    EXPECT_EQ(parse(print(code)), code) << print(code);
  }
}

TEST(ToyCode, RefusesWhatIsNoProgram) {
  for (const char* text : {"",
                           "load x0 r0\n",
                           "thread t1\n",
                           "thread t0\n load x9 r0\n",
                           "thread t0\n load x0\n",
                           "thread t0\n load x0 r0 r1\n",
                           "thread t0\n jump 3\n",
                           "thread t0\n create t1\n",
                           "thread t0\n create t1\n create t1\nthread t1\n",
                           "thread t0\n join t1\nthread t1\n",
                           "thread t0\n create t0\n",
                           "thread t0\n choose r0 0\n",
                           "thread t0\n store x0 r7\n",
                           "thread t0\n load.release x0 r0\n",
                           "thread t0\n store.acquire x0 1\n",
                           "thread t0\n load.weak x0 r0\n",
                           "thread t0\n load. x0 r0\n",
                           "thread t0\n fence.relaxed\n",
                           "thread t0\n read.relaxed p0 r0\n",
                           "thread t0\n readtwo q2 r0\n"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
}

// Speaks at each choice only to look.
class Onlooker final : public Advisor {
 public:
  explicit Onlooker(ThreadNames& names) : names_(names) {}

  Advice at_point(const View& view) override {
    std::span<const PendingOperation> pending = view.threads.pending();
    for (std::size_t i = 1; i < pending.size(); ++i) {
      EXPECT_TRUE(names_.before(pending[i - 1].thread, pending[i].thread));
    }
    if (view.point.key.kind != ChoiceKind::thread) return {};
    // The enabled threads, and only they, are the first options.
    std::vector<std::uint16_t> enabled;
    for (const PendingOperation& operation : pending) {
      if (operation.enabled) enabled.push_back(operation.thread);
    }
    std::vector<std::uint16_t> offered;
    for (std::size_t i = 0; i < view.point.enabled; ++i) offered.push_back(view.options[i].value);
    EXPECT_EQ(enabled, offered);
    for (std::size_t i = 0; i < view.options.size(); ++i) {
      EXPECT_EQ(view.options[i].via == Via::timeout, i >= view.point.enabled);
    }
    EXPECT_EQ(view.default_option, default_option(view.point, view.options, Base::nonpreemptive));
    pending_at_.emplace_back(pending.begin(), pending.end());
    return {};
  }

  ThreadNames& names_;
  std::vector<std::vector<PendingOperation>> pending_at_;  // at each thread choice
};

// A thread does next what it was said to do.
TEST(ToyProgram, PublishesPendingOperations) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    ToyProgram program(random_program(seed, Family::a, 500).code);
    Systematic search({});
    Plan plan;
    Trace trace;
    Trace watched;
    while (search.next(plan)) {
      program.run(plan, search.advisor(), search.wanted(), trace);
      Onlooker onlooker(program.names());
      // Departures are not asked about, and so are not seen: give it the policy's choices only where there
      // are none.
      if (plan.departures.empty()) {
        program.run(plan, &onlooker, Wanted::all_events(), watched);
        std::erase_if(watched.events, [](const Event& event) { return !is_visible(event.operation); });
        ASSERT_EQ(onlooker.pending_at_.size(), watched.events.size());
        for (std::size_t i = 0; i < watched.events.size(); ++i) {
          const Event& event = watched.events[i];
          for (const PendingOperation& operation : onlooker.pending_at_[i]) {
            if (operation.thread != event.thread) continue;
            EXPECT_EQ(operation.object, event.object);
            EXPECT_TRUE(operation.operation == event.operation || event.operation == Operation::timeout);
          }
        }
      }
      search.learn(plan, trace);
    }
  }
}

// What is written down changes nothing, and the events name themselves.
TEST(ToyProgram, RunsAlikeHoweverMuchIsRecorded) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    ToyProgram program(random_program(seed, Family::a, 500).code);
    Systematic search({});
    Plan plan;
    Trace trace;
    Trace full;
    while (search.next(plan)) {
      program.run(plan, nullptr, Wanted::everything(), full);
      std::string schedule = program.schedule();
      program.run(plan, search.advisor(), search.wanted(), trace);
      EXPECT_EQ(program.schedule(), schedule);
      EXPECT_EQ(trace.cost, full.cost);
      EXPECT_EQ(trace.end, full.end);
      EXPECT_EQ(trace.counts.points, full.counts.points);
      EXPECT_EQ(full.details.places.size(), full.events.size());
      std::map<ThreadId, std::uint32_t> done;
      for (const Event& event : full.events) {
        EXPECT_EQ(event.index, done[event.thread]);
        if (is_visible(event.operation)) ++done[event.thread];
      }
      search.learn(plan, trace);
    }
  }
}

TEST(ToyProgram, NamesWhoWaitsInADeadlock) {
  ToyProgram program(parse("thread t0\n create t1\n lock m0\n join t1\nthread t1\n down s0\n").value());
  Trace trace;
  program.run({}, nullptr, Wanted::everything(), trace);
  ASSERT_EQ(trace.end, End::bug);
  EXPECT_EQ(trace.failure.kind, BugKind::deadlock);
  ASSERT_EQ(trace.failure.waiters.size(), 2u);
  EXPECT_EQ(trace.failure.waiters[0].operation, Operation::thread_join);
  EXPECT_EQ(trace.failure.waiters[1].operation, Operation::semaphore_wait);
  EXPECT_EQ(trace.failure.waiters[1].object, toy_object('s', 0));
}

}  // namespace
}  // namespace thrum
