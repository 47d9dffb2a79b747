// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Systematic search, random walk, replay and the search loop on programs that consist only of choices. The
// oracle tests them on real interleavings: tests/oracle/oracle_test.cpp.
#include "search/systematic/systematic.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "execution/director.hpp"
#include "search/random/random_walk.hpp"
#include "search/replay.hpp"

namespace thrum {
namespace {

// At each of `depth` points one of `ways` threads, always enabled, is chosen. The thread chosen last is the
// running one; leaving it is a preemption.
class Chooser : public Program, private Pending {
 public:
  Chooser(std::uint16_t depth, std::uint16_t ways) : depth_(depth) {
    options_.push_back({kMainThread, Via::run});
    for (std::uint16_t i = 1; i < ways; ++i) options_.push_back({names_.child(kMainThread, i), Via::run});
  }

  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override {
    director_.begin(plan, advisor, wanted, trace);
    taken.clear();
    std::uint16_t running = 0;
    std::map<std::uint16_t, std::uint32_t> events;
    for (int i = 0; i < depth_; ++i) {
      ChoicePoint point;
      point.key = {options_[running].value, ChoiceKind::thread, events[running]};
      point.running_enabled = true;
      point.enabled = static_cast<std::uint16_t>(options_.size());
      point.round = static_cast<std::uint16_t>((running + 1u) % options_.size());
      std::uint16_t option = director_.choose(point, options_, *this);
      if (option == Director::kStop) break;
      running = option;
      Event event;
      event.thread = options_[running].value;
      event.index = events[running]++;
      if (director_.records_events()) trace.events.push_back(event);
      if (director_.records_places()) trace.details.places.emplace_back();
      taken += static_cast<char>('0' + option);
    }
    if (judge) judge(taken, trace);
    director_.finish();
  }
  ThreadNames& names() override { return names_; }

  std::string taken;                                      // of the last execution
  std::function<void(const std::string&, Trace&)> judge;  // may make it a bug

 private:
  std::span<const PendingOperation> pending() override { return {}; }

  std::uint16_t depth_;
  std::vector<Option> options_;
  ThreadNames names_;
  Director director_;
};

Limits limits() {
  Limits result;
  result.executions = 10'000;  // a search that does not end is also wrong
  result.out_of_time = [] { return false; };
  result.announce = [](const Plan&) {};
  result.now = [] { return 0.0; };
  return result;
}

int run_all(Program& program, Strategy& strategy) {
  Plan plan;
  Trace trace;
  int count = 0;
  while (count < 10'000 && strategy.next(plan)) {
    program.run(plan, strategy.advisor(), strategy.wanted(), trace);
    strategy.learn(plan, trace);
    ++count;
  }
  return count;
}

TEST(Systematic, RunsEveryCombinationOnce) {
  Chooser program(5, 3);
  for (bool cheapest_first : {true, false}) {
    for (Base base : {Base::nonpreemptive, Base::round_robin}) {
      Systematic search({base, std::nullopt, cheapest_first});
      EXPECT_EQ(run_all(program, search), 243);
      EXPECT_TRUE(search.guarantee().complete);
      EXPECT_EQ(search.fringe_size(), 0u);
      EXPECT_EQ(search.statistics().nodes, 1u) << "nothing is kept of what was run";
    }
  }
}

// Of 4 points with 2 ways, C(4, c) executions change the thread c times.
TEST(Systematic, RunsSomeTwiceRatherThanRememberAll) {
  Chooser program(7, 3);
  constexpr int kAll = 2187;  // 3^7
  std::size_t most = 0;
  for (std::size_t fringe_max : {std::size_t{0}, std::size_t{10}, std::size_t{100}}) {
    Systematic search({Base::nonpreemptive, std::nullopt, true, fringe_max});
    Plan plan;
    Trace trace;
    int runs = 0;
    int repeated = 0;
    std::size_t waiting = 0;
    while (runs < 10'000 && search.next(plan)) {
      repeated += search.reporting().repeats() ? 1 : 0;
      program.run(plan, search.advisor(), search.wanted(), trace);
      search.learn(plan, trace);
      waiting = std::max(waiting, search.fringe_size());
      ++runs;
    }
    EXPECT_EQ(runs - repeated, kAll);
    EXPECT_GT(repeated, 0);
    EXPECT_LT(repeated, kAll);
    EXPECT_TRUE(search.guarantee().complete);
    EXPECT_EQ(search.statistics().nodes, 1u);
    most = std::max(most, waiting);
  }
  EXPECT_LT(most, 800u) << "all at once would be more";
}

TEST(Systematic, SaysHowFarItIs) {
  Chooser program(4, 2);
  Systematic search({});
  Plan plan;
  Trace trace;
  EXPECT_FALSE(search.guarantee().bounds[0].completed);
  const std::uint32_t done_by[] = {1, 5, 11, 15, 16};
  for (std::uint32_t count = 1; count < 1000 && search.next(plan); ++count) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    search.learn(plan, trace);
    std::optional<std::uint32_t> completed;
    for (std::uint32_t c = 0; c < 5; ++c) {
      if (count >= done_by[c]) completed = c;
    }
    EXPECT_EQ(search.guarantee().bounds[0].completed, completed) << count;
    EXPECT_EQ(search.guarantee().complete, count == 16);
  }
}

// One thread runs. Before each of its events another thread may wake up spuriously, once, at cost 2: 1 for
// itself, and 1 for the turn that it takes. By delays it is the second option, at cost 1.
class Waker : public Program, private Pending {
 public:
  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override {
    director_.begin(plan, advisor, wanted, trace);
    woken = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      ChoicePoint point;
      point.key = {kMainThread, ChoiceKind::thread, i};
      point.running_enabled = true;
      point.enabled = 1;
      std::uint16_t taken = director_.choose(point, options_, *this);
      if (taken == Director::kStop) break;
      woken += taken;
    }
    director_.finish();
  }
  ThreadNames& names() override { return names_; }

  int woken = 0;  // in the last execution

 private:
  std::span<const PendingOperation> pending() override { return {}; }

  ThreadNames names_;
  Director director_;
  std::vector<Option> options_ = {{kMainThread, Via::run}, {names_.child(kMainThread, 1), Via::spurious}};
};

TEST(Systematic, SpuriousWakeUpsCountTowardsTheLimit) {
  for (auto [base, price] : {std::pair{Base::nonpreemptive, 2}, {Base::round_robin, 1}}) {
    const int within[] = {1, 5, 11, 15, 16};  // at 4 places, with at most so many wake-ups
    for (int limit = 0; limit <= 4 * price; ++limit) {
      Waker program;
      Systematic search({base, static_cast<std::uint32_t>(limit), true});
      EXPECT_EQ(run_all(program, search), within[limit / price]) << "limit " << limit;
      EXPECT_LE(program.woken * price, limit);
      EXPECT_EQ(search.guarantee().complete, limit == 4 * price);
    }
  }
}

TEST(Systematic, ALimitExcludes) {
  Chooser program(4, 2);
  Systematic search({Base::nonpreemptive, 2, true});
  EXPECT_EQ(run_all(program, search), 11);
  Guarantee guarantee = search.guarantee();
  EXPECT_TRUE(guarantee.exhausted);
  EXPECT_FALSE(guarantee.complete);
  EXPECT_EQ(guarantee.bounds[0].completed, 2u);
  // A limit that is never reached does not.
  Systematic wide({Base::nonpreemptive, 4, true});
  run_all(program, wide);
  EXPECT_TRUE(wide.guarantee().complete);
}

// Both strategies have executions to run if two plans wait.
TEST(Systematic, SplitsIntoTwoThatHaveWork) {
  Chooser program(6, 2);
  Systematic search({});
  EXPECT_EQ(search.split(), nullptr);
  Plan plan;
  Trace trace;
  int run = 0;
  while (run < 1000 && search.next(plan)) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    search.learn(plan, trace);
    ++run;
    if (search.fringe_size() < 2) {
      EXPECT_EQ(search.split(), nullptr);
      continue;
    }
    std::size_t before = search.fringe_size();
    std::unique_ptr<Strategy> part = search.split();
    std::size_t given = dynamic_cast<Systematic&>(*part).fringe_size();
    EXPECT_GT(given, 0u);
    EXPECT_GT(search.fringe_size(), 0u);
    EXPECT_EQ(given + search.fringe_size(), before);
    search.merge(*part);
    EXPECT_EQ(search.fringe_size(), before);
  }
  EXPECT_EQ(run, 64);
  EXPECT_TRUE(search.guarantee().complete);
  EXPECT_EQ(search.statistics().nodes, 1u);
}

// The other strategy's exclusions and completed levels count too.
TEST(Systematic, MergesWhatWasCounted) {
  Chooser small(1, 2);
  Chooser large(4, 2);
  for (std::optional<std::uint32_t> limit :
       {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(1)}) {
    Systematic one({Base::nonpreemptive, limit, true});
    Systematic other({Base::nonpreemptive, limit, true});
    run_all(small, one);
    run_all(large, other);
    EXPECT_TRUE(one.guarantee().complete);
    EXPECT_EQ(one.guarantee().bounds[0].completed, 1u);
    one.merge(other);
    EXPECT_EQ(one.guarantee().complete, !limit);
    EXPECT_EQ(one.guarantee().bounds[0].completed, limit ? 1u : 4u);
  }
}

// A merged part may hold cheaper plans than the ones that are left here.
TEST(Systematic, TakesUpCheaperPlansThatWereMerged) {
  Chooser program(4, 2);
  Systematic search({});
  Plan plan;
  Trace trace;
  auto step = [&](Systematic& one) {
    if (!one.next(plan)) return 0;
    program.run(plan, one.advisor(), one.wanted(), trace);
    one.learn(plan, trace);
    return 1;
  };
  int run = step(search);
  std::unique_ptr<Strategy> part = search.split();  // of cost 1
  while (search.guarantee().bounds[0].completed < 1u) run += step(search);
  EXPECT_EQ(step(search), 1);
  search.merge(*part);
  EXPECT_EQ(search.guarantee().bounds[0].completed, 0u);
  EXPECT_EQ(run + 1 + run_all(program, search), 16);
}

TEST(Systematic, SurvivesLoadingGarbage) {
  Chooser program(6, 2);
  Systematic search({});
  Plan plan;
  Trace trace;
  for (int i = 0; i < 10 && search.next(plan); ++i) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    search.learn(plan, trace);
  }
  ByteWriter out;
  search.save(out, program.names());
  Random random(3);
  for (int i = 0; i < 2'000; ++i) {
    std::string bytes = out.bytes();
    if (random.below(4) == 0) bytes.resize(random.below(bytes.size()));
    for (auto n = random.below(4); n > 0 && !bytes.empty(); --n) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    ByteReader in(bytes);
    ThreadNames names;
    Systematic other({});
    other.load(in, names);
  }
}

TEST(RandomWalk, IsTheSeedsAlone) {
  Chooser program(20, 2);
  auto walk = [&](std::uint64_t seed, bool interrupt) {
    auto strategy = std::make_unique<RandomWalk>(seed);
    std::string all;
    Plan plan;
    Trace trace;
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(strategy->next(plan));
      program.run(plan, strategy->advisor(), strategy->wanted(), trace);
      all += program.taken;
      if (!interrupt) continue;
      ByteWriter out;
      strategy->durable()->save(out, program.names());
      strategy = std::make_unique<RandomWalk>(0);
      ByteReader in(out.bytes());
      EXPECT_TRUE(strategy->durable()->load(in, program.names()));
    }
    return all;
  };
  EXPECT_EQ(walk(1, false), walk(1, false));
  EXPECT_EQ(walk(1, false), walk(1, true));
  EXPECT_NE(walk(1, false), walk(2, false));
  EXPECT_FALSE(RandomWalk(1).guarantee().exhausted);
}

TEST(Replay, RunsItsPlanOnce) {
  Chooser program(3, 2);
  Plan plan;
  plan.departures = {
      {{kMainThread, ChoiceKind::thread, 1}, {program.names().child(kMainThread, 1), Via::run}}};
  Replay replay(plan);
  EXPECT_EQ(run_all(program, replay), 1);
  EXPECT_EQ(program.taken, "011");
}

TEST(Strategies, AreInOneTable) {
  for (const StrategyRow& row : strategies()) {
    EXPECT_EQ(make_strategy(row.name, {}) == nullptr, runs_outside(row.name)) << row.name;
    EXPECT_FALSE(row.help.empty());
  }
  EXPECT_EQ(make_strategy("no such strategy", {}), nullptr);
}

// Every order of search finds the bug with its exact number of preemptions, two.
TEST(Explore, KnowsTheFewestPreemptions) {
  Chooser program(5, 2);
  program.judge = [](const std::string& taken, Trace& trace) {
    if (taken.find("010") == std::string::npos) return;
    trace.end = End::bug;
    trace.failure.message = "found";
  };
  for (const char* name : {"icb", "dfs"}) {
    for (bool keep_going : {true, false}) {
      Limits all = limits();
      all.keep_going = keep_going;
      std::unique_ptr<Strategy> strategy = make_strategy(name, {});
      SearchResult result = explore(program, *strategy, all);
      ASSERT_EQ(result.bugs.size(), 1u);
      EXPECT_EQ(result.end, keep_going ? SearchEnd::exhausted : SearchEnd::bug);
      const FoundBug& bug = result.bugs[0];
      EXPECT_TRUE(!keep_going || result.executions == 32u);
      if (keep_going || std::string_view(name) == "icb") {
        EXPECT_EQ(bug.preemptions, 2u);
        EXPECT_EQ(bug.plan.departures.size(), 2u);
        EXPECT_TRUE(bug.minimal) << name << (keep_going ? ", to the end" : ", first");
      }
    }
  }
}

TEST(Explore, KeepsToItsLimits) {
  Chooser program(5, 2);
  Limits few = limits();
  few.executions = 7;
  SearchResult result = explore(program, *make_strategy("icb", {}), few);
  EXPECT_EQ(result.end, SearchEnd::executions);
  EXPECT_EQ(result.executions, 7u);
  EXPECT_FALSE(result.guarantee.exhausted);
  EXPECT_EQ(result.guarantee.bounds[0].completed, 1u);  // 1 + 5 executions with at most one preemption

  int asked = 0;
  Limits short_of_time = limits();
  short_of_time.out_of_time = [&] { return ++asked > 3; };
  result = explore(program, *make_strategy("icb", {}), short_of_time);
  EXPECT_EQ(result.end, SearchEnd::time);
  EXPECT_EQ(result.executions, 3u);
}

// One of the executions with one preemption is cut.
TEST(Explore, ALevelWithACutExecutionIsNotCompletedAndTheSearchGoesOn) {
  for (const End end : {End::steps, End::memory, End::threads, End::refused}) {
    for (const char* name : {"icb", "dfs"}) {
      Chooser program(5, 2);
      program.judge = [end](const std::string& taken, Trace& trace) {
        if (taken == "00111") trace.end = end;
      };
      const SearchResult result = explore(program, *make_strategy(name, {}), limits());
      EXPECT_EQ(result.end, SearchEnd::exhausted);
      EXPECT_EQ(result.executions, 32u) << name;
      EXPECT_EQ(result.claims.cut(), 1u);
      EXPECT_FALSE(result.guarantee.complete);
      EXPECT_EQ(result.guarantee.bounds[0].completed, 0u);
    }
  }
}

// The bug was found with two preemptions; after the cut there might be one with none.
TEST(Explore, FewestPreemptionsAreNotProvedOverCuts) {
  for (const bool is_cut : {false, true}) {
    Chooser program(5, 2);
    program.judge = [is_cut](const std::string& taken, Trace& trace) {
      if (taken == "00000" && is_cut) trace.end = End::steps;
      if (taken.find("010") != std::string::npos) trace.end = End::bug;
    };
    const SearchResult result = explore(program, *make_strategy("icb", {}), limits());
    ASSERT_EQ(result.bugs.size(), 1u);
    EXPECT_EQ(result.bugs[0].minimal, !is_cut);
    EXPECT_EQ(result.statistics.levels[0].completed.has_value(), !is_cut);
  }
}

TEST(Explore, FalseAssumptionsWeakenNothingUnlessNothingPasses) {
  Chooser program(5, 2);
  program.judge = [](const std::string& taken, Trace& trace) {
    if (taken != "11111") trace.end = End::assumption;
  };
  SearchResult result = explore(program, *make_strategy("icb", {}), limits());
  EXPECT_TRUE(result.guarantee.complete);
  EXPECT_EQ(result.claims.assumed_away, 31u);
  program.judge = [](const std::string&, Trace& trace) { trace.end = End::assumption; };
  result = explore(program, *make_strategy("icb", {}), limits());
  EXPECT_FALSE(result.guarantee.complete);
  EXPECT_FALSE(result.guarantee.bounds[0].completed);
}

TEST(Explore, GivesUpWhereEveryExecutionIsRefused) {
  Chooser program(12, 2);
  program.judge = [](const std::string&, Trace& trace) { trace.end = End::refused; };
  SearchResult result = explore(program, *make_strategy("icb", {}), limits());
  EXPECT_EQ(result.end, SearchEnd::lost_control);
  EXPECT_EQ(result.executions, 1000u);
  program.judge = [](const std::string& taken, Trace& trace) {
    if (taken != "000000000001") trace.end = End::refused;
  };
  result = explore(program, *make_strategy("icb", {}), limits());
  EXPECT_EQ(result.end, SearchEnd::exhausted);
  EXPECT_EQ(result.executions, 4096u);
}

// The bug is noted when it is seen, whatever happens to it afterwards.
TEST(Explore, KeepsABugWhoseConfirmationTheTimeEnds) {
  for (int runs_in_time : {1, 2}) {
    Chooser program(3, 2);
    int runs = 0;
    program.judge = [&](const std::string&, Trace& trace) {
      trace.end = ++runs <= runs_in_time ? End::bug : End::time;
      if (trace.end == End::bug) trace.failure.message = "seen";
    };
    std::vector<bool> noted;  // confirmed
    Limits limited = limits();
    limited.keep_going = true;
    limited.out_of_time = [&] { return runs > 1; };
    limited.note_bug = [&](const FoundBug& bug) {
      if (noted.empty()) {
        EXPECT_EQ(runs, 1);
      }
      EXPECT_EQ(bug.failure.message, "seen");
      noted.push_back(bug.unconfirmed.empty());
    };
    const SearchResult result = explore(program, *make_strategy("icb", {}), limited);
    ASSERT_EQ(result.bugs.size(), 1u);
    // One more run that shows it is enough.
    EXPECT_EQ(result.bugs[0].unconfirmed.empty(), runs_in_time == 2);
    EXPECT_EQ(result.end, SearchEnd::time);
    EXPECT_EQ(noted, runs_in_time == 2 ? (std::vector<bool>{false, true}) : std::vector<bool>{false});
  }
}

TEST(Explore, ClaimsNothingOfAnExecutionThatTheTimeEnds) {
  Chooser whole(3, 2);
  const SearchResult undisturbed = explore(whole, *make_strategy("icb", {}), limits());
  ASSERT_TRUE(undisturbed.guarantee.complete);
  for (std::uint64_t last = 1; last <= undisturbed.executions; ++last) {
    Chooser program(3, 2);
    std::uint64_t runs = 0;
    std::uint32_t cost = 0;
    program.judge = [&](const std::string&, Trace& trace) {
      if (++runs < last) return;
      trace.end = End::time;
      cost = trace.cost;
    };
    const SearchResult result = explore(program, *make_strategy("icb", {}), limits());
    EXPECT_EQ(result.end, SearchEnd::time);
    EXPECT_FALSE(result.guarantee.complete);
    for (const Bound& bound : result.guarantee.bounds)
      EXPECT_TRUE(!bound.completed || *bound.completed < cost);
  }
}

TEST(Explore, NotesEachLevelWhenItIsCompleted) {
  Chooser program(3, 2);
  std::vector<std::uint32_t> levels;
  Limits noting = limits();
  double seconds = 0;
  noting.now = [&] { return seconds += 1; };
  noting.note_level = [&](const SearchResult& so_far) {
    ASSERT_TRUE(so_far.guarantee.bounds[0].completed);
    levels.push_back(*so_far.guarantee.bounds[0].completed);
  };
  const SearchResult result = explore(program, *make_strategy("icb", {}), noting);
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels[0], 0u);
  EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
  EXPECT_LT(levels.back(), UINT32_MAX);
  EXPECT_TRUE(result.guarantee.complete);

  // Levels completed within a moment are not saved one by one.
  levels.clear();
  noting.now = [&] { return seconds += 1e-9; };
  Chooser again(3, 2);
  EXPECT_TRUE(explore(again, *make_strategy("icb", {}), noting).guarantee.complete);
  EXPECT_TRUE(levels.empty());
}

TEST(Explore, SaysWhenControlIsLost) {
  // The second run of a bug's plan shows no bug.
  Chooser program(3, 2);
  int runs = 0;
  program.judge = [&](const std::string&, Trace& trace) {
    if (++runs % 2 == 0) return;
    trace.end = End::bug;
    trace.failure.message = "now and then";
  };
  SearchResult result = explore(program, *make_strategy("icb", {}), limits());
  EXPECT_EQ(result.end, SearchEnd::lost_control);
  EXPECT_FALSE(result.lost_reason.empty());
  // It was seen, and is reported all the same.
  ASSERT_EQ(result.bugs.size(), 1u);
  EXPECT_EQ(result.bugs[0].failure.message, "now and then");
  EXPECT_FALSE(result.bugs[0].unconfirmed.empty());
  EXPECT_EQ(result.claims.count(Cut::divergence), 1u);
  EXPECT_FALSE(result.guarantee.bounds[0].completed);

  // A plan that cannot be followed.
  Chooser other(3, 2);
  Plan plan;
  plan.departures = {{{kMainThread, ChoiceKind::thread, 7}, {kMainThread, Via::run}}};
  Replay replay(plan);
  result = explore(other, replay, limits());
  EXPECT_EQ(result.end, SearchEnd::lost_control);
  EXPECT_EQ(result.lost_plan, plan);
}

}  // namespace
}  // namespace thrum
