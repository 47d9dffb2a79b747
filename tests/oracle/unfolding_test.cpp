// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search by unfolding against all interleavings: the states of each thread by itself, failures, deadlocks
// and data races.
//
//   THRUM_ORACLE_UNFOLDING  random programs of each family (200)
//   THRUM_ORACLE_SEED       seed of the first (1); the next has the next seed
#include "unfolding/unfolding_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "oracle/compare.hpp"
#include "oracle/goldilocks.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"
#include "order/local_states.hpp"
#include "search/reduction/dpor.hpp"
#include "search/systematic/systematic.hpp"
#include "support/hash.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

using Mode = UnfoldingSearch::Mode;

constexpr std::size_t kInterleavingsMax = 1'500;

// All that each thread has seen, step by step.
void add_local_states(const Trace& trace, const ThreadNames& names, std::set<std::string>& states) {
  std::map<ThreadId, std::string> now;
  for (const Event& event : trace.events) {
    if (!is_visible(event.operation)) continue;
    std::string& text = now[event.thread];
    text += " " + std::to_string(static_cast<int>(event.operation)) + "@" + std::to_string(event.object);
    if (event.outcome != Outcome::done) text += "!" + std::to_string(static_cast<int>(event.outcome));
    const bool reads = event.operation == Operation::load ||
                       event.operation == Operation::read_modify_write ||
                       event.operation == Operation::compare_exchange || event.operation == Operation::choose;
    if (reads) text += "=" + std::to_string(event.value);
    states.insert(names.name(event.thread) + text);
  }
}

// The operations that wait in a deadlock, but joins, as text.
using Waits = std::set<std::string>;

struct Seen {
  std::set<std::string> states;
  std::set<ToyBug> bugs;  // but deadlocks
  std::set<Waits> deadlocks;
  std::uint64_t executions = 0;
  std::string problem;
  std::uint64_t fresh = 0;  // executions that have shown new events
  std::uint64_t events = 0;
  std::uint64_t vain = 0;
  std::uint64_t queries = 0;
  std::uint64_t denied = 0;
  LocalStates met;
  std::size_t joins_that_tell = 0;
  bool is_racy = false;
};

std::string text_of(const std::string& thread, Operation operation, std::uint64_t object) {
  return thread + " " + std::string(operation_name(operation)) + " " + std::to_string(object);
}

void add_bug(const Trace& trace, const ThreadNames& names, Seen& seen) {
  if (trace.end != End::bug) return;
  if (trace.failure.kind != BugKind::deadlock) {
    seen.bugs.insert(bug_of(trace.failure));
    return;
  }
  Waits waits;
  for (const Waiter& waiter : trace.failure.waiters) {
    if (waiter.operation != Operation::thread_join)
      waits.insert(text_of(names.name(waiter.thread), waiter.operation, waiter.object));
  }
  seen.deadlocks.insert(std::move(waits));
}

// Which deadlock of the first has no part that is one of the second, or the other way round.
std::string difference(const std::set<Waits>& all, const std::set<Waits>& parts) {
  const auto holds = [](const Waits& whole, const Waits& part) { return std::ranges::includes(whole, part); };
  for (const Waits& one : all) {
    if (!std::ranges::any_of(parts, [&](const auto& part) { return holds(one, part); }))
      return "a deadlock of " + std::to_string(one.size()) + " waits is missing";
  }
  for (const Waits& part : parts) {
    if (!std::ranges::any_of(all, [&](const auto& one) { return holds(one, part); }))
      return "a deadlock too many";
  }
  return "";
}

bool has_race(const RaceTrace& steps) {
  Goldilocks detector;
  return std::ranges::any_of(steps, [&](const RaceStep& step) { return !detector.step(step).empty(); });
}

Seen all_interleavings(const ToyCode& code) {
  Seen seen;
  ToyProgram program(code);
  Plan plan;
  Trace trace;
  Systematic all({Base::nonpreemptive, std::nullopt, false});
  std::vector<Plan> plans;
  while (all.next(plan)) {
    program.run(plan, all.advisor(), all.wanted(), trace);
    all.learn(plan, trace);
    plans.push_back(plan);
  }
  for (const Plan& each : plans) {
    program.run(each, nullptr, Wanted::all_events(), trace);
    add_bug(trace, program.names(), seen);
    add_local_states(trace, program.names(), seen.states);
  }
  seen.executions = plans.size();
  return seen;
}

// races: it ends with the first data race.
Seen by_unfolding(const ToyCode& code, Mode mode, bool races = false, bool orders_creations = false) {
  Seen seen;
  ToyProgram program(code);
  RaceTrace steps;
  if (races) program.record_races(&steps);
  UnfoldingSearch search({.mode = mode, .orders_creations = orders_creations});
  Plan plan;
  Trace trace;
  while (search.next(plan)) {
    steps.clear();
    program.run(plan, search.advisor(), search.wanted(), trace);
    ++seen.executions;
    if (races && has_race(steps)) {
      seen.is_racy = true;
      break;
    }
    search.learn(plan, trace);
    if (search.for_suite() == ForSuite::starts_over) {
      seen.met.begin_again();
      seen.fresh = 0;
    }
    seen.fresh += search.for_suite() == ForSuite::yes ? 1 : 0;
    seen.met.take(trace);
    add_bug(trace, program.names(), seen);
    add_local_states(trace, program.names(), seen.states);
    if (!search.problem().empty()) break;
  }
  seen.problem = search.problem();
  seen.deadlocks.clear();
  for (const Deadlocks::Waits& deadlock : search.deadlocks()) {
    Waits waits;
    for (const auto& [thread, operation, object] : deadlock)
      waits.insert(text_of(program.names().name(thread), operation, object));
    seen.deadlocks.insert(std::move(waits));
  }
  for (Prefix::Event each = 0; each < search.prefix().size(); ++each) {
    const Prefix::Entry& entry = search.prefix()[each];
    if (entry.is_done && is_visible(search.prefix().step(each).operation)) ++seen.events;
  }
  seen.joins_that_tell = search.joins_that_tell();
  seen.vain = search.counts().vain;
  seen.queries = search.counts().queries;
  seen.denied = search.counts().denied;
  return seen;
}

std::string difference(const std::set<std::string>& a, const std::set<std::string>& b) {
  for (const std::string& each : a)
    if (!b.contains(each)) return "missing: " + each;
  for (const std::string& each : b)
    if (!a.contains(each)) return "more: " + each;
  return "";
}

class UnfoldingOf : public testing::TestWithParam<std::tuple<Family, Mode>> {};

TEST_P(UnfoldingOf, MeetsEachLocalState) {
  const auto [family, mode] = GetParam();
  const std::uint64_t count = setting("THRUM_ORACLE_UNFOLDING", by_default(200));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::uint64_t covered = 0, interleavings = 0, executions = 0, events = 0, vain = 0, queries = 0, denied = 0;
  std::uint64_t counted = 0;  // whose local states are counted by themselves, too
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    const RandomProgram program = random_program(seed, family, kInterleavingsMax);
    const Seen by = by_unfolding(program.code, mode);
    if (!by.problem.empty() && by.problem.find("internal") == std::string::npos) continue;
    const Seen all = all_interleavings(program.code);
    ++covered;
    interleavings += all.executions;
    executions += by.executions;
    events += by.events;
    vain += by.vain;
    queries += by.queries;
    denied += by.denied;
    EXPECT_EQ(by.problem, "") << "seed " << seed << "\n" << print(program.code);
    EXPECT_EQ(difference(all.states, by.states), "") << "seed " << seed << "\n" << print(program.code);
    // Joins of some threads may tell, and of others not.
    const LocalStateCounts met = by.met.counts();
    if (mode == Mode::contextual && by.joins_that_tell == 0) {
      EXPECT_EQ(met.late, by.events) << "seed " << seed << "\n" << print(program.code);
      ++counted;
    }
    for (const ToyBug& bug : all.bugs)
      EXPECT_TRUE(by.bugs.contains(bug)) << "seed " << seed << " kind " << static_cast<int>(bug.kind)
                                         << " place " << bug.place << " waits " << bug.waits.size() << "\n"
                                         << print(program.code);
    EXPECT_EQ(difference(all.deadlocks, by.deadlocks), "") << "seed " << seed << "\n" << print(program.code);
    for (const ToyBug& bug : by.bugs) EXPECT_TRUE(all.bugs.contains(bug)) << "seed " << seed;
  }
  std::cout << covered << " covered; " << interleavings << " interleavings, " << executions << " executions, "
            << vain << " in vain, " << events << " events; " << queries << " queries were run, " << denied
            << " denied; the local states of " << counted << " were counted\n";
}

// As where several threads create threads: each creation takes its turn in the order of all first.
TEST(Unfolding, MeetsEachLocalStateWhereCreationsAreOrdered) {
  const std::uint64_t count = setting("THRUM_ORACLE_UNFOLDING", by_default(200));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::uint64_t covered = 0, ordered = 0, executions = 0, unordered_executions = 0;
  for (const Mode mode : {Mode::contextual, Mode::replicated}) {
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
      const ToyCode code = random_program(seed, Family::a, kInterleavingsMax).code;
      const Seen unordered = by_unfolding(code, mode);
      const Seen by = by_unfolding(code, mode, false, true);
      if (!unordered.problem.empty()) continue;
      ++covered;
      if (!by.problem.empty() && by.problem.find("internal") == std::string::npos) continue;
      ++ordered;
      executions += by.executions;
      unordered_executions += unordered.executions;
      EXPECT_EQ(by.problem, "") << "seed " << seed << "\n" << print(code);
      EXPECT_EQ(difference(unordered.states, by.states), "") << "seed " << seed << "\n" << print(code);
      EXPECT_EQ(unordered.bugs, by.bugs) << "seed " << seed << "\n" << print(code);
      EXPECT_EQ(difference(unordered.deadlocks, by.deadlocks), "") << "seed " << seed << "\n" << print(code);
    }
  }
  EXPECT_GT(ordered, covered / 2);
  std::cout << ordered << " of " << covered << " covered; " << executions << " executions, "
            << unordered_executions << " without the order\n";
}

// Family B. Where there is no race, there is no local state that is missing either.
class RacesOfUnfoldings : public testing::TestWithParam<Mode> {};

TEST_P(RacesOfUnfoldings, AreFound) {
  const std::uint64_t count = setting("THRUM_ORACLE_UNFOLDING", by_default(200));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::uint64_t covered = 0, racy = 0, queries = 0, denied = 0;
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    const RandomProgram program = random_program(seed, Family::b, kInterleavingsMax);
    const Seen by = by_unfolding(program.code, GetParam(), true);
    if (!by.problem.empty() && by.problem.find("internal") == std::string::npos) continue;
    const bool is_racy = enumerate(program.code, {.only_races = true}).racy;
    ++covered;
    racy += is_racy ? 1 : 0;
    queries += by.queries;
    denied += by.denied;

    EXPECT_EQ(by.problem, "") << "seed " << seed << "\n" << print(program.code);
    EXPECT_EQ(by.is_racy, is_racy) << "seed " << seed << "\n" << print(program.code);
    if (is_racy) continue;
    const Seen all = all_interleavings(program.code);
    EXPECT_EQ(difference(all.states, by.states), "") << "seed " << seed << "\n" << print(program.code);
    for (const ToyBug& bug : all.bugs) EXPECT_TRUE(by.bugs.contains(bug)) << "seed " << seed;
  }
  std::cout << covered << " covered, " << racy << " racy; " << queries << " queries were run, " << denied
            << " denied\n";
}

// Main fails at once where both threads that it joins have ended. So the other one's addition has to come
// before one of these ends, and behind what they have read.
TEST_P(RacesOfUnfoldings, AreFoundWhereAThreadFailsAtOnce) {
  const ToyCode code = *parse(
      "thread t0\n create t1\n create t2\n create t3\n cas x0 r1 1 2\n join t1\n join t3\n"
      " poke x0 0\n equal r1 2\n"
      "thread t1\n load x0 r0\n"
      "thread t2\n add x0 r2 1\n"
      "thread t3\n load x0 r0\n skip r0 1 1\n yield\n");
  EXPECT_TRUE(enumerate(code, {.only_races = true}).racy);
  EXPECT_TRUE(by_unfolding(code, GetParam(), true).is_racy);
}

std::string name_of(Mode mode) { return mode == Mode::contextual ? "Contextual" : "Replicated"; }

INSTANTIATE_TEST_SUITE_P(Modes, RacesOfUnfoldings, testing::Values(Mode::contextual, Mode::replicated),
                         [](const auto& one) { return name_of(one.param); });

INSTANTIATE_TEST_SUITE_P(Families, UnfoldingOf,
                         testing::Combine(testing::Values(Family::a, Family::c, Family::d, Family::e),
                                          testing::Values(Mode::contextual, Mode::replicated)),
                         [](const auto& one) {
                           return std::string(name_of(std::get<0>(one.param))) +
                                  name_of(std::get<1>(one.param));
                         });

// ---- The prefix is the same however it was found (Kahkonen, Saarikivi, Heljanko, ASE 2012)

// Each event by what it is: its operation, and the events that made what it needs.
std::set<std::uint64_t> identities(const Prefix& prefix, const ThreadNames& names) {
  std::vector<std::uint64_t> of_event(prefix.size());
  const ConditionTrees& slots = prefix.slots();
  const auto of_condition = [&](Prefix::Condition condition) -> std::uint64_t {
    if (condition == Prefix::kNone) return 1;
    if (slots.event(condition) == Prefix::kNone) return 2;
    return of_event[slots.event(condition)];
  };
  std::set<std::uint64_t> all;
  for (Prefix::Event each = 0; each < prefix.size(); ++each) {
    const Prefix::Entry& entry = prefix[each];
    if (!entry.is_done) continue;
    const Event& step = prefix.step(each);
    std::uint64_t hash =
        mixed(std::hash<std::string>{}(names.name(step.thread)), static_cast<std::uint64_t>(step.operation));
    hash = mixed(mixed(hash, of_condition(entry.before)), of_condition(entry.object));
    hash = mixed(mixed(hash, step.object), step.value);
    for (const Departure& choice : prefix.choices(entry.choices))
      hash = mixed(hash, choice.key.kind == ChoiceKind::waiter
                             ? std::hash<std::string>{}(names.name(choice.option.value))
                             : choice.option.value);
    std::uint64_t behind = 0;  // a set
    for (const Prefix::Event read : prefix.reads(entry.behind)) behind += of_event[read];
    of_event[each] = mixed(hash, behind);
    all.insert(of_event[each]);
  }
  return all;
}

struct Identities {
  std::set<std::uint64_t> events;
  // Whether a late join is needed to tell more may depend on which executions failed before they came to it.
  std::size_t joins_that_tell = 0;
  std::uint64_t changes = 0;  // of locations: how often two were found to be one

  friend bool operator==(const Identities&, const Identities&) = default;
};

Identities identities_by(const ToyCode& code, const UnfoldingSearch::Settings& settings) {
  ToyProgram program(code);
  UnfoldingSearch search(settings);
  Plan plan;
  Trace trace;
  while (search.next(plan)) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    search.learn(plan, trace);
    if (!search.problem().empty()) return {};
  }
  return {identities(search.prefix(), program.names()), search.joins_that_tell(),
          search.locations().changes()};
}

// The plans of all executions that the strategy runs.
std::vector<Plan> plans_of(Strategy& strategy, const ToyCode& code) {
  ToyProgram program(code);
  std::vector<Plan> plans;
  Plan plan;
  Trace trace;
  while (strategy.next(plan)) {
    program.run(plan, strategy.advisor(), strategy.wanted(), trace);
    strategy.learn(plan, trace);
    if (trace.end != End::stopped) plans.push_back(plan);
  }
  return plans;
}

// Only reads executions, in that order. Whoever runs them, the events are the same.
Identities identities_of(std::span<const Plan> plans, const ToyCode& code, Mode mode) {
  ToyProgram program(code);
  Trace trace;
  UnfoldingSearch reader(mode);
  for (std::uint64_t begun = 0;; begun = reader.counts().restarts) {
    for (const Plan& each : plans) {
      program.run(each, nullptr, reader.wanted(), trace);
      reader.learn(each, trace);
    }
    if (reader.counts().restarts == begun) break;
  }
  return {identities(reader.prefix(), program.names()), reader.joins_that_tell(),
          reader.locations().changes()};
}

// All interleavings, in an order by chance.
Identities identities_of_all(const ToyCode& code, Mode mode, std::uint64_t seed) {
  Systematic all({Base::nonpreemptive, std::nullopt, false});
  std::vector<Plan> plans = plans_of(all, code);
  Random random(seed);
  for (std::size_t i = plans.size(); i > 1; --i) std::swap(plans[i - 1], plans[random.below(i)]);
  return identities_of(plans, code, mode);
}

// One execution of each class by dependence. Operations that commute there may not commute here.
Identities identities_of_classes(const ToyCode& code, Mode mode) {
  Dpor dpor(Dpor::Algorithm::optimal);
  return identities_of(plans_of(dpor, code), code, mode);
}

TEST_P(UnfoldingOf, HasTheSameEventsHoweverTheyAreFound) {
  using Order = UnfoldingSearch::Order;
  const auto [family, mode] = GetParam();
  const std::uint64_t count = setting("THRUM_ORACLE_UNFOLDING", by_default(100));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::uint64_t covered = 0, events = 0, left_out = 0;
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    const ToyCode code = random_program(seed, family, kInterleavingsMax).code;
    const Identities known = identities_by(code, {.mode = mode});
    if (known.events.empty()) continue;
    ++covered;
    events += known.events.size();
    std::vector<Identities> others = {
        identities_by(code, {.mode = mode, .order = Order::random, .seed = ~seed}),
        identities_by(code, {.mode = mode, .order = Order::random, .seed = seed}),
        identities_by(code, {.mode = mode, .is_greedy = false}), identities_of_all(code, mode, seed)};
    for (const Identities& other : others) {
      if (other.joins_that_tell != known.joins_that_tell) {
        ++left_out;
      } else {
        EXPECT_EQ(other.events, known.events) << "seed " << seed << "\n" << print(code);
      }
    }
    const Identities of_classes = identities_of_classes(code, mode);
    // One of each class may not show that two locations are one.
    if (of_classes.joins_that_tell == known.joins_that_tell && of_classes.changes == known.changes) {
      EXPECT_TRUE(std::ranges::includes(known.events, of_classes.events)) << "seed " << seed << "\n"
                                                                          << print(code);
    }
  }
  EXPECT_LE(left_out, 4 + covered / 20);
  std::cout << covered << " covered, " << events << " events, " << left_out << " left out\n";
}

// Kahkonen and Heljanko's slide 31: in whatever order executions are read, the unfolding is one.
TEST(Unfolding, IsTheSameInEachOrderOfFourExecutions) {
  const ToyCode code = *parse(
      "thread t0\ncreate t1\ncreate t2\ncreate t3\n"
      "thread t1\nload x0 r0\nload x1 r1\nthread t2\nload x0 r0\nstore x1 1\nthread t3\nstore x0 1\n");
  for (const Mode mode : {Mode::contextual, Mode::replicated}) {
    Dpor dpor(Dpor::Algorithm::optimal);
    std::vector<Plan> plans = plans_of(dpor, code);
    ASSERT_GE(plans.size(), 4u);
    const Identities all = identities_of(plans, code, mode);
    plans.resize(4);
    const Identities of_four = identities_of(plans, code, mode);
    EXPECT_EQ(identities_by(code, {.mode = mode}).events, all.events);
    std::vector<std::size_t> order = {0, 1, 2, 3};
    int orders = 0;
    do {
      const std::vector<Plan> permuted = {plans[order[0]], plans[order[1]], plans[order[2]], plans[order[3]]};
      EXPECT_EQ(identities_of(permuted, code, mode).events, of_four.events);
      ++orders;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_EQ(orders, 24);
  }
}

// Whether operations that commute by dependence commute in the unfolding, too: not so posts of a semaphore,
// signals, failed try-locks.
bool commutes_alike(const ToyCode& code) {
  return std::ranges::all_of(code.threads, [](const std::vector<Instruction>& thread) {
    return std::ranges::none_of(thread, [](const Instruction& one) {
      return (one.opcode >= Opcode::wait && one.opcode <= Opcode::up) || one.opcode == Opcode::try_lock;
    });
  });
}

// Each execution shows an event that none has shown, so it is of a class that none was of. And each event of
// the contextual unfolding is one of the ordinary one, which may have it several times.
TEST(Unfolding, NeedsAtMostAsManyExecutionsAsThereAreClasses) {
  const std::uint64_t count = setting("THRUM_ORACLE_UNFOLDING", by_default(1'000));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::uint64_t classes = 0, executions = 0;
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    const ToyCode code = random_program(seed, Family::a, kInterleavingsMax).code;
    if (!commutes_alike(code)) continue;
    const Seen contextual = by_unfolding(code, Mode::contextual);
    const Seen replicated = by_unfolding(code, Mode::replicated);
    if (!contextual.problem.empty() || !replicated.problem.empty() || !contextual.bugs.empty()) continue;
    Dpor dpor(Dpor::Algorithm::optimal);
    const std::uint64_t of_dpor = plans_of(dpor, code).size();
    EXPECT_LE(contextual.events, replicated.events) << "seed " << seed << "\n" << print(code);
    EXPECT_LE(contextual.fresh, of_dpor) << "seed " << seed << "\n" << print(code);
    EXPECT_LE(replicated.fresh, of_dpor) << "seed " << seed << "\n" << print(code);
    classes += of_dpor;
    executions += contextual.fresh;
  }
  std::cout << classes << " classes, " << executions << " executions\n";
}

// Two threads see two stores in different orders, then both stores; and one of them what the other has done.
// Who reads a condition comes before who consumes it, also if both pasts have the consumer.
TEST(Unfolding, SeesCirclesThroughWhatTwoPastsShare) {
  const ToyCode code = *parse(
      "thread t0\ncreate t1\ncreate t2\ncreate t3\ncreate t4\n"
      "thread t1\nstore x0 1\nthread t2\nstore x1 1\n"
      "thread t3\nload x0 r0\nload x1 r0\nload x1 r0\nload x2 r0\n"
      "thread t4\nload x1 r0\nload x0 r0\nload x0 r0\nstore x2 1\n");
  const Seen contextual = by_unfolding(code, Mode::contextual);
  const Seen replicated = by_unfolding(code, Mode::replicated);
  EXPECT_EQ(contextual.problem, "");
  EXPECT_EQ(replicated.problem, "");
  EXPECT_EQ(difference(contextual.states, replicated.states), "");
  EXPECT_EQ(contextual.vain + replicated.vain, 0u);
}

// ---- Exact counts

struct Named {
  std::string name;
  std::string text;
  std::uint64_t events;
  std::uint64_t executions_max;
  std::uint64_t replicated_events = 0;  // 0: too many for a test
  std::uint64_t replicated_executions_max = 0;
};

std::string with_main(const std::vector<std::string>& threads) {
  std::string text = "thread t0\n";
  for (std::size_t i = 1; i <= threads.size(); ++i) text += "create t" + std::to_string(i) + "\n";
  for (std::size_t i = 1; i <= threads.size(); ++i)
    text += "thread t" + std::to_string(i) + "\n" + threads[i - 1];
  return text;
}

std::string times(int count, const std::string& part) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

// Two threads add to their own cell what is in both; a third one reads both.
std::string fib(int rounds) {
  return with_main({times(rounds, "load x0 r0\nload x1 r1\nstore x0 1\n"),
                    times(rounds, "load x1 r0\nload x0 r1\nstore x1 1\n"), "load x0 r0\nload x1 r1\n"});
}

// Four threads take and give one mutex twice, and a fifth one once.
std::vector<std::string> locking_2() {
  std::vector<std::string> threads(5, times(2, "lock m0\nunlock m0\n"));
  threads.back() = "lock m0\nunlock m0\n";
  return threads;
}

std::string readers(int count) {
  std::vector<std::string> threads(static_cast<std::size_t>(count) + 1, "load x0 r0\n");
  threads[0] = "store x0 1\n";
  return with_main(threads);
}

// The events are the same in whatever order they are found; how many executions show them is not. Those of
// fib 4 and 5 are at most as many as Kahkonen and Heljanko report.
TEST(Unfolding, HasAsManyEventsAsIsKnown) {
  const std::vector<Named> kRows = {
      {"slide 37", with_main({"store x0 1\n", "load x0 r0\n", "load x0 r0\n"}), 5, 2, 10, 4},
      {"readers 4", readers(4), 9, 2, 52, 16},
      {"readers 8", readers(8), 17, 2, 1'288, 256},
      {"fib 2", fib(2), 131, 57, 537, 140},
      {"fib 3", fib(3), 1'048, 529, 7'125, 1'698},
      {"fib 4", fib(4), 9'110, 4'959, 87'454, 19'605},
      {"fib 5", fib(5), 81'137, 46'918},
      {"locking", with_main(std::vector<std::string>(4, times(2, "lock m0\nunlock m0\n"))), 14'728, 2'520,
       14'728, 2'520},
      {"locking 2", with_main(locking_2()), 130'402, 22'680},
      {"slide 32",
       with_main(
           {"load x0 r0\n", "store x0 1\n", "load x1 r0\n", "store x1 1\n", "load x2 r0\n", "store x2 1\n"}),
       9, 2, 12, 2},
  };
  for (const Named& row : kRows) {
    for (const Mode mode : {Mode::contextual, Mode::replicated}) {
      const bool is_contextual = mode == Mode::contextual;
      const std::uint64_t events = is_contextual ? row.events : row.replicated_events;
      if (events == 0 || events > by_default(200'000)) continue;
      const Seen seen = by_unfolding(parse(row.text).value(), mode);
      EXPECT_EQ(seen.problem, "") << row.name;
      EXPECT_EQ(seen.events, events) << row.name;
      EXPECT_LE(seen.executions, is_contextual ? row.executions_max : row.replicated_executions_max)
          << row.name;
      std::cout << row.name << ", " << name_of(mode) << ": " << seen.events << " events, " << seen.executions
                << " executions, " << seen.vain << " in vain\n";
    }
  }
}

}  // namespace
}  // namespace thrum
