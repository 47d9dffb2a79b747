// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/policy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "execution/director.hpp"
#include "search/random/pct.hpp"

namespace thrum {
namespace {

// Threads 1 and 2, always enabled, each before a store of its own.
class Two final : public Pending {
 public:
  std::span<const PendingOperation> pending() override {
    ++asked;
    return operations;
  }
  std::vector<PendingOperation> operations = {{1, Operation::store, true, 4, 64},
                                              {2, Operation::store, true, 4, 128}};
  int asked = 0;
};

class PolicyTest : public ::testing::Test {
 protected:
  // The threads that go on at 24 choices, each by its digit.
  std::string run(const Plan& plan, Director& director) {
    director.begin(plan, nullptr, Wanted::new_choices(), trace_);
    std::string taken;
    ThreadId running = 1;
    for (std::uint32_t i = 0; i < 24; ++i) {
      ChoicePoint point;
      point.key = {running, ChoiceKind::thread, i};
      point.running_enabled = true;
      point.enabled = 2;
      running = options_[director.choose(point, options_, threads_)].value;
      taken += static_cast<char>('0' + running);
    }
    director.finish();
    return taken;
  }
  std::string run(const Plan& plan) {
    Director director;
    return run(plan, director);
  }
  static Plan plan_of(Policy::Kind kind, std::uint64_t seed) {
    Plan plan;
    plan.policy = {.kind = kind, .seed = seed};
    if (kind == Policy::Kind::pct) plan.policy.parameters = {3, 24};
    if (kind == Policy::Kind::surw) plan.policy.counts = {{1, 12}, {2, 12}};
    return plan;
  }

  static constexpr Policy::Kind kKinds[] = {Policy::Kind::random, Policy::Kind::pct, Policy::Kind::pos,
                                            Policy::Kind::surw};
  std::vector<Option> options_ = {{1, Via::run}, {2, Via::run}};
  Two threads_;
  Trace trace_;
};

TEST_F(PolicyTest, ThePlanAloneDecides) {
  Director director;  // which keeps a policy from one execution to the next
  for (Policy::Kind kind : kKinds) {
    std::set<std::string> all;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::string taken = run(plan_of(kind, seed), director);
      EXPECT_EQ(run(plan_of(kind, seed)), taken);
      EXPECT_EQ(run(plan_of(kind, seed), director), taken);
      EXPECT_EQ(trace_.end, End::finished);
      all.insert(taken);
    }
    EXPECT_GT(all.size(), 5u) << static_cast<int>(kind);
  }
}

TEST_F(PolicyTest, DeparturesGoBefore) {
  for (Policy::Kind kind : kKinds) {
    for (ThreadId to : {ThreadId{1}, ThreadId{2}}) {
      Plan plan = plan_of(kind, 5);
      std::string taken = run(plan);
      // What ran last before the fourth choice is what the third one took.
      plan.departures = {{{static_cast<ThreadId>(taken[2] - '0'), ChoiceKind::thread, 3}, {to, Via::run}}};
      std::string departed = run(plan);
      EXPECT_EQ(trace_.end, End::finished);
      EXPECT_EQ(departed.substr(0, 3), taken.substr(0, 3));
      EXPECT_EQ(departed[3], static_cast<char>('0' + to));
    }
  }
}

TEST_F(PolicyTest, TheBaseAsksNobody) {
  EXPECT_EQ(run(Plan{}), std::string(24, '1'));
  EXPECT_EQ(threads_.asked, 0);
  EXPECT_FALSE(trace_.sampling.as_expected);
  EXPECT_TRUE(trace_.sampling.counts.empty());
}

// Depth 1 has no change points: who comes first stays so. Depth 3 changes twice at most.
TEST_F(PolicyTest, PctChangesAtItsChangePointsOnly) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (std::uint32_t depth : {1u, 2u, 3u, 6u}) {
      Plan plan = plan_of(Policy::Kind::pct, seed);
      plan.policy.parameters[0] = depth;
      std::string taken = run(plan);
      std::uint32_t changes = 0;
      for (std::size_t i = 1; i < taken.size(); ++i) changes += taken[i] != taken[i - 1] ? 1 : 0;
      EXPECT_LT(changes, depth) << taken;
      EXPECT_TRUE(trace_.sampling.as_expected);
      EXPECT_EQ(trace_.sampling.sources, 2u);
    }
  }
}

// A thread that yields does not keep the turn, however high it stands; nor does a timeout that nobody forced.
TEST_F(PolicyTest, PctLetsNobodyStarve) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Plan plan = plan_of(Policy::Kind::pct, seed);
    Director director;
    director.begin(plan, nullptr, Wanted::new_choices(), trace_);
    ChoicePoint point;
    point.enabled = 2;
    point.running_enabled = true;
    point.key = {1, ChoiceKind::thread, 0};
    point.yielded = true;
    EXPECT_EQ(director.choose(point, options_, threads_), 1);
    director.finish();
    EXPECT_FALSE(trace_.sampling.as_expected);

    director.begin(plan, nullptr, Wanted::new_choices(), trace_);
    std::vector<Option> timed = {{1, Via::run}, {2, Via::timeout}};
    point.enabled = 1;
    point.yielded = false;
    int timeouts = 0;
    for (point.key.index = 0; point.key.index < 20; ++point.key.index)
      timeouts += director.choose(point, timed, threads_);
    EXPECT_LE(timeouts, 1);
  }
}

// Nothing is lost where only one thread can go on: its steps count.
TEST_F(PolicyTest, StepsWithoutAChoiceCount) {
  Plan plan = plan_of(Policy::Kind::surw, 1);
  Director director;
  director.begin(plan, nullptr, Wanted::new_choices(), trace_);
  EXPECT_FALSE(director.through()) << "the end of the execution is to be seen as well";
  std::vector<Option> alone = {{1, Via::run}};
  ChoicePoint point;
  point.enabled = 1;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(director.choose(point, alone, threads_), 0);
  director.pause();
  EXPECT_EQ(director.choose(point, alone, threads_), 0);
  director.resume();
  director.finish();
  ASSERT_EQ(trace_.sampling.counts.size(), 1u);
  EXPECT_EQ(trace_.sampling.counts[0].thread, 1);
  EXPECT_EQ(trace_.sampling.counts[0].object, 64u);
  EXPECT_EQ(trace_.sampling.counts[0].count, 5u);
  EXPECT_TRUE(trace_.choices.empty()) << "which are written down nowhere";
}

// What pct learns: the most steps of an execution, and how many executions drew from so many.
TEST(Pct, CountsTheExecutionsThatItsBoundIsOf) {
  const auto pct = std::make_unique<Pct>(0, 2);
  Plan plan;
  Trace trace;
  const auto learn = [&](std::uint32_t points) {
    ASSERT_TRUE(pct->next(plan));
    trace.clear();
    trace.counts.points = points;
    trace.counts.threads = 3;
    trace.sampling.as_expected = true;
    pct->learn(plan, trace);
  };
  learn(10);
  EXPECT_EQ(plan.policy.kind, Policy::Kind::base);
  EXPECT_FALSE(pct->guarantee().chance->log_least);
  learn(10);
  learn(8);
  EXPECT_EQ(plan.policy.parameter(1), 10u);
  EXPECT_EQ(pct->guarantee().chance->executions, 2u);
  learn(20);
  EXPECT_EQ(pct->guarantee().chance->executions, 0u) << "their change points all came before the end";
  learn(20);
  EXPECT_EQ(plan.policy.parameter(1), 20u);
  EXPECT_EQ(pct->guarantee().chance->executions, 1u);
  EXPECT_NEAR(std::exp(*pct->guarantee().chance->log_least), 1.0 / (3 * 20), 1e-12);

  std::unique_ptr<Strategy> other = pct->divisible()->split();
  ASSERT_TRUE(other->next(plan));
  EXPECT_EQ(plan.policy.parameter(1), 20u);
  other->learn(plan, trace);
  pct->divisible()->merge(*other);
  EXPECT_EQ(pct->guarantee().chance->executions, 2u);
}

}  // namespace
}  // namespace thrum
