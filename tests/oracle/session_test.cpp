// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole search of a toy program: what begins it again, and what is kept of the runs before.
#include "campaign/session.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"

namespace thrum {
namespace {

SessionSettings settings_for(const char* strategy) {
  SessionSettings settings;
  settings.make = [strategy](bool is_fair) { return make_strategy(strategy, {.is_fair = is_fair}); };
  settings.limits = no_limits();
  return settings;
}

TEST(Session, IsOneRunWhereNothingIsLearned) {
  for (std::uint64_t seed = 1; seed <= by_default(100); ++seed) {
    const RandomProgram random = random_program(seed, Family::a, 300);
    ToyProgram program(random.code);
    Session::Host host;
    const SessionSettings settings = settings_for("icb");
    const SearchResult result = Session(program, host, settings).run();
    EXPECT_EQ(result.executions, random.findings.executions.size());
    EXPECT_EQ(result.statistics.before, 0u);
    EXPECT_EQ(result.bugs.size(), random.findings.bugs.size());
    EXPECT_TRUE(result.guarantee.complete);
    for (const FoundBug& bug : result.bugs) EXPECT_TRUE(bug.simplified);
  }
}

// Learns something in each of the first runs.
class Learning final : public Session::Host {
 public:
  explicit Learning(int runs) : runs_left(runs) {}
  void begin() override { ++begun; }
  bool restarts() const override { return begun <= runs_left; }
  int begun = 0;

 private:
  int runs_left;
};

TEST(Session, BeginsAgainAndCountsWhatWasRunBefore) {
  const RandomProgram random = random_program(3, Family::a, 300);
  ToyProgram program(random.code);
  Learning host(2);
  const SessionSettings settings = settings_for("dfs");
  const SearchResult result = Session(program, host, settings).run();
  EXPECT_EQ(host.begun, 3);
  EXPECT_EQ(result.executions, 3 * random.findings.executions.size());
  EXPECT_EQ(result.statistics.before, 2 * random.findings.executions.size());
  EXPECT_EQ(result.bugs.size(), random.findings.bugs.size());
  EXPECT_TRUE(result.guarantee.complete);
}

TEST(Session, RepeatsTheWholeSearch) {
  const RandomProgram random = random_program(4, Family::a, 300);
  ToyProgram program(random.code);
  Session::Host host;
  SessionSettings settings = settings_for("dfs");
  settings.repeat = 5;
  const SearchResult result = Session(program, host, settings).run();
  EXPECT_EQ(result.executions, 5 * random.findings.executions.size());
  for (const FoundBug& bug : result.bugs)
    EXPECT_FALSE(bug.simplified) << "a benchmark counts its own executions";
}

// Records what every program can.
class Plain final : public Program {
 public:
  explicit Plain(const ToyCode& code) : program_(code) {}
  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override {
    program_.run(plan, advisor, wanted, trace);
  }
  ThreadNames& names() override { return program_.names(); }

 private:
  ToyProgram program_;
};

// Wants terms.
class Symbolic final : public Strategy {
 public:
  bool next(Plan& plan) override {
    plan = {};
    return true;
  }
  Wanted wanted() const override { return {Wanted::kChoices | Wanted::kTerms}; }
  void learn(const Plan&, const Trace&) override { ADD_FAILURE() << "it was given a trace without terms"; }
};

TEST(Session, IsNoneWhereTheProgramCannotRecordWhatIsWanted) {
  Plain program(random_program(6, Family::a, 300).code);
  Session::Host host;
  SessionSettings settings = settings_for("dfs");
  settings.make = [](bool) { return std::make_unique<Symbolic>(); };
  const SearchResult result = Session(program, host, settings).run();
  EXPECT_EQ(result.end, SearchEnd::lost_control);
  EXPECT_NE(result.lost_reason.find("cannot record"), std::string::npos);
  EXPECT_EQ(result.executions, 0u);
  EXPECT_FALSE(result.guarantee.exhausted);
}

// Its first execution is said to starve a thread, unless the plan is fair.
class Starving final : public Program {
 public:
  explicit Starving(const ToyCode& code) : program_(code) {}
  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override {
    program_.run(plan, advisor, wanted, trace);
    if (plan.policy.fairness == Fairness::on) ++fair;
    if (plan.policy.fairness != Fairness::watch) return;
    trace.end = End::stopped;
    trace.starved = true;
  }
  ThreadNames& names() override { return program_.names(); }
  std::uint64_t fair = 0;

 private:
  ToyProgram program_;
};

TEST(Session, IsFairOnceAThreadHasStarved) {
  const RandomProgram random = random_program(5, Family::a, 300);
  Starving program(random.code);
  Session::Host host;
  SessionSettings settings = settings_for("dfs");
  settings.limits.fairness = Fairness::watch;
  settings.simplifies = false;
  const SearchResult result = Session(program, host, settings).run();
  EXPECT_EQ(result.statistics.before, 1u);
  EXPECT_EQ(result.executions, 1 + random.findings.executions.size());
  EXPECT_GE(program.fair, random.findings.executions.size());
}

}  // namespace
}  // namespace thrum
