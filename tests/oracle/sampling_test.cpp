// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often the random policies do what: against chances that are known, by counting in the head, by listing
// all that a policy can draw, or by the oracle's list of all interleavings. Seeds are fixed, and so is what
// comes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "campaign/strategies.hpp"
#include "oracle/oracle.hpp"
#include "oracle/toy_program.hpp"

namespace thrum {
namespace {

constexpr int kExecutions = 10'000;

ToyCode code_of(const std::string& text) { return parse(text).value(); }

using Counts = std::map<std::string, int>;

struct Sample {
  Counts schedules;
  int executions = 0;  // of the strategy's policy: those before, by which it learned, are left out
  int bugs = 0;
  std::optional<Chance> chance;
};

Sample sample(const ToyCode& code, const char* name, std::uint32_t depth = 3, std::uint64_t seed = 1) {
  StrategySettings settings;
  settings.seed = seed;
  settings.depth = depth;
  std::unique_ptr<Strategy> strategy = make_strategy(name, settings);
  ToyProgram program(code);
  Plan plan;
  Trace trace;
  Sample result;
  while (result.executions < kExecutions) {
    strategy->next(plan);
    program.run(plan, strategy->advisor(), strategy->wanted(), trace);
    bool learning = plan.policy.kind == Policy::Kind::base ||
                    (plan.policy.kind == Policy::Kind::surw && plan.policy.counts.empty());
    if (!learning) {
      ++result.executions;
      ++result.schedules[program.schedule()];
      if (trace.end == End::bug) ++result.bugs;
    }
    strategy->learn(plan, trace);
  }
  result.chance = strategy->guarantee().chance;
  return result;
}

double deviation(double chance) { return std::sqrt(chance * (1 - chance) / kExecutions); }

// Pearson's statistic, in standard deviations from its mean. chances: of everything that can happen.
double distance(const Counts& counts, const std::map<std::string, double>& chances) {
  double sum = 0;
  for (const auto& [what, chance] : chances) {
    auto seen = counts.find(what);
    double expected = chance * kExecutions;
    double difference = (seen == counts.end() ? 0 : seen->second) - expected;
    sum += difference * difference / expected;
  }
  auto degrees = static_cast<double>(chances.size() - 1);
  return (sum - degrees) / std::sqrt(2 * degrees);
}

void expect_distribution(const Counts& counts, const std::map<std::string, double>& chances) {
  double sum = 0;
  for (const auto& [what, chance] : chances) sum += chance;
  ASSERT_NEAR(sum, 1, 1e-9);
  for (const auto& [what, count] : counts) EXPECT_TRUE(chances.contains(what)) << what;
  EXPECT_LT(distance(counts, chances), 3);
  for (const auto& [what, chance] : chances) {
    auto seen = counts.find(what);
    double share = seen == counts.end() ? 0 : static_cast<double>(seen->second) / kExecutions;
    EXPECT_GT(share, chance - 4 * deviation(chance)) << what;
  }
}

std::map<std::string, double> uniform(const std::vector<std::string>& all) {
  std::map<std::string, double> chances;
  for (const std::string& one : all) chances[one] = 1 / static_cast<double>(all.size());
  return chances;
}

std::vector<std::string> schedules_of(const Findings& findings) {
  std::vector<std::string> all;
  for (const auto& [schedule, ending] : findings.executions) all.push_back(schedule);
  return all;
}

// --- all ---

// What a policy makes rare it does not make impossible.
TEST(Sampling, NothingIsOutOfReach) {
  ToyCode code = code_of(
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n timedwait c0 m0 r0 1\n unlock m0\n"
      "thread t2\n lock m0\n signal c0\n unlock m0\n choose r0 2\n");
  std::size_t all = enumerate(code).executions.size();
  for (const char* name : {"random", "pos", "surw", "urw"})
    EXPECT_EQ(sample(code, name).schedules.size(), all) << name;
  Sample pct = sample(code, "pct", 10);
  for (const std::string& schedule : schedules_of(enumerate(code)))
    EXPECT_TRUE(pct.schedules.contains(schedule)) << schedule;
}

// --- PCT ---

// What PCT does with threads 1, 2, ... of so many steps each, straight from the paper: its chances, by
// listing every order of priorities and every tuple of change points.
std::map<std::string, double> pct_chances(const std::vector<int>& lengths, int depth) {
  int steps = std::accumulate(lengths.begin(), lengths.end(), 0);
  std::map<std::string, double> chances;
  std::vector<int> order(lengths.size());
  std::iota(order.begin(), order.end(), depth);
  double ways = std::tgamma(static_cast<double>(lengths.size()) + 1) * std::pow(steps, depth - 1);
  std::vector<int> changes(static_cast<std::size_t>(depth - 1));
  auto run = [&] {
    std::vector<int> priorities = order;
    std::vector<int> left = lengths;
    std::string schedule;
    for (int step = 1; step <= steps; ++step) {
      std::size_t best = left.size();
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] > 0 && (best == left.size() || priorities[i] > priorities[best])) best = i;
      }
      --left[best];
      schedule += static_cast<char>('1' + best);
      for (std::size_t i = 0; i < changes.size(); ++i) {
        if (changes[i] == step) priorities[best] = static_cast<int>(i) + 1;
      }
    }
    chances[schedule] += 1 / ways;
  };
  std::function<void(std::size_t)> each = [&](std::size_t i) {
    if (i == changes.size()) return run();
    for (changes[i] = 1; changes[i] <= steps; ++changes[i]) each(i + 1);
  };
  do {
    each(0);
  } while (std::next_permutation(order.begin(), order.end()));
  return chances;
}

constexpr const char* kThreeThreads =
    "thread t0\n create t1\n create t2\n create t3\n"
    "thread t1\n store x0 1\n store x0 2\n store x0 3\n"
    "thread t2\n store x1 1\n store x1 2\n"
    "thread t3\n store x2 1\n store x2 2\n";

TEST(Sampling, PctDrawsAsThePaperSays) {
  for (std::uint32_t depth : {1u, 2u, 3u}) {
    SCOPED_TRACE(depth);
    expect_distribution(sample(code_of(kThreeThreads), "pct", depth).schedules,
                        pct_chances({3, 2, 2}, static_cast<int>(depth)));
  }
}

struct DepthCase {
  const char* what;
  std::uint32_t depth;
  const char* code;
};

// Each bug needs so many orders of two events, and no fewer.
const DepthCase kDepths[] = {
    {"a use before its initialisation", 1,
     "thread t0\n create t1\n create t2\n create t3\n"
     "thread t1\n fence\n fence\n fence\n store x0 1\n"
     "thread t2\n fence\n load x0 r0\n unequal r0 0\n"
     "thread t3\n fence\n fence\n"},
    {"another's store between a store and a load", 2,
     "thread t0\n create t1\n create t2\n"
     "thread t1\n store x0 1\n load x0 r0\n equal r0 1\n fence\n"
     "thread t2\n fence\n store x0 2\n fence\n"},
    {"locks in opposite order", 2,
     "thread t0\n create t1\n create t2\n"
     "thread t1\n fence\n lock m0\n lock m1\n unlock m1\n unlock m0\n"
     "thread t2\n lock m1\n lock m0\n unlock m0\n unlock m1\n fence\n"},
    {"a store, a load, a store, a load", 3,
     "thread t0\n create t1\n create t2\n"
     "thread t1\n store x0 1\n store x0 2\n fence\n"
     "thread t2\n load x0 r0\n load x0 r1\n skip r0 0 2\n skip r0 2 1\n unequal r1 2\n fence\n"},
};

TEST(Sampling, PctFindsBugsOfItsDepthAsOftenAsItPromises) {
  for (const DepthCase& one : kDepths) {
    SCOPED_TRACE(one.what);
    ToyCode code = code_of(one.code);
    ASSERT_EQ(enumerate(code).bugs.size(), 1u);
    Sample found = sample(code, "pct", one.depth);
    ASSERT_TRUE(found.chance && found.chance->log_least);
    EXPECT_EQ(found.chance->executions, static_cast<std::uint64_t>(kExecutions));
    const auto n = static_cast<double>(found.chance->threads);
    const auto k = static_cast<double>(found.chance->steps);
    const double bound = std::exp(*found.chance->log_least);
    EXPECT_NEAR(bound, 1 / (n * std::pow(k, one.depth - 1)), 1e-12);
    EXPECT_GT(static_cast<double>(found.bugs) / kExecutions, bound - 3 * deviation(bound));
    if (one.depth == 1) continue;
    EXPECT_EQ(sample(code, "pct", one.depth - 1).bugs, 0) << "its depth is not what it says";
  }
}

TEST(Sampling, PctPromisesNothingWhereThreadsYieldOrWaitsEnd) {
  const char* const programs[] = {
      "thread t0\n create t1\n create t2\nthread t1\n fence\n yield\n fence\nthread t2\n fence\n fence\n",
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n timedwait c0 m0 r0 1\n unlock m0\nthread t2\n fence\n fence\n fence\n",
      "thread t0\n create t1\n create t2\nthread t1\n choose r0 2\nthread t2\n fence\n"};
  for (const char* text : programs) {
    Sample found = sample(code_of(text), "pct");
    ASSERT_TRUE(found.chance);
    EXPECT_TRUE(found.chance->unfit);
    EXPECT_FALSE(found.chance->log_least);
  }
}

// --- POS ---

constexpr int kLong = 6;

// Thread 1 does kLong steps, thread 2 one; where that comes.
Counts places_of_one(const std::string& step, const char* name) {
  std::string text = "thread t0\n create t1\n create t2\nthread t1\n";
  for (int i = 0; i < kLong; ++i) text += step;
  Counts places;
  for (const auto& [schedule, count] : sample(code_of(text + "thread t2\n store x0 1\n"), name).schedules)
    places[std::to_string(schedule.find('2'))] += count;
  return places;
}

// How long it waits is one draw: behind i of the other's steps with 1 / ((i + 1) (i + 2)).
TEST(Sampling, PosDrawsOnceForAnEventThatDoesNotRace) {
  std::map<std::string, double> chances;
  for (int i = 0; i < kLong; ++i) chances[std::to_string(i)] = 1.0 / ((i + 1) * (i + 2));
  chances[std::to_string(kLong)] = 1.0 / (kLong + 1);
  expect_distribution(places_of_one(" store x1 1\n", "pos"), chances);
}

// Where each step races with it, each is a draw of its own.
TEST(Sampling, PosDrawsAnewForAnEventThatRaces) {
  std::map<std::string, double> chances;
  for (int i = 0; i < kLong; ++i) chances[std::to_string(i)] = std::pow(0.5, i + 1);
  chances[std::to_string(kLong)] = std::pow(0.5, kLong);
  expect_distribution(places_of_one(" load x0 r0\n", "pos"), chances);
  expect_distribution(places_of_one(" store x1 1\n", "random"), chances);
}

// --- URW and SURW ---

// Threads that create others in their midst.
constexpr const char* kFamily =
    "thread t0\n create t1\n store x0 1\n create t3\n store x0 2\n join t1\n join t3\n"
    "thread t1\n store x1 1\n create t2\n store x1 2\n"
    "thread t2\n store x2 1\n store x2 2\n"
    "thread t3\n load x0 r0\n";

// A main that goes on by itself when the others have ended.
constexpr const char* kJoined =
    "thread t0\n create t1\n create t2\n join t1\n join t2\n store x0 9\n store x0 8\n"
    "thread t1\n store x0 1\n store x0 2\n store x0 3\n store x0 4\n store x0 5\n"
    "thread t2\n store x1 1\n";

// The same, and then it begins anew.
constexpr const char* kInTurns =
    "thread t0\n create t1\n create t2\n join t1\n join t2\n store x0 9\n create t3\n store x0 8\n store x0 "
    "7\n"
    "thread t1\n store x0 1\n store x0 2\n store x0 3\n store x0 4\n"
    "thread t2\n store x1 1\n"
    "thread t3\n store x1 2\n";

TEST(Sampling, UrwGivesEachInterleavingTheSameChance) {
  for (const char* text : {kThreeThreads, kFamily, kJoined, kInTurns}) {
    SCOPED_TRACE(text);
    ToyCode code = code_of(text);
    std::vector<std::string> all = schedules_of(enumerate(code));
    Sample found = sample(code, "urw");
    expect_distribution(found.schedules, uniform(all));
    ASSERT_TRUE(found.chance && found.chance->log_least);
    EXPECT_NEAR(std::exp(*found.chance->log_least), 1 / static_cast<double>(all.size()), 1e-9);
    EXPECT_GT(distance(sample(code, "random").schedules, uniform(all)), 30) << "else it is no test";
  }
}

// Threads that wait for each other; what a thread does behind a join, which was weighed as if it could come
// before; a thread that does now more, now less.
TEST(Sampling, UrwClaimsNothingWhereItIsNotExact) {
  constexpr const char* kLocks =
      "thread t0\n create t1\n create t2\n"
      "thread t1\n lock m0\n unlock m0\nthread t2\n lock m0\n unlock m0\n";
  constexpr const char* kJoinBetween =
      "thread t0\n create t1\n store x0 1\n join t1\n store x0 2\nthread t1\n store x1 1\n store x1 2\n";
  constexpr const char* kCreationBehindJoin =
      "thread t0\n create t1\n store x0 1\n join t1\n create t2\n join t2\n"
      "thread t1\n store x1 1\n store x1 2\nthread t2\n store x1 3\n";
  constexpr const char* kMoreOrLess =
      "thread t0\n create t1\n create t2\n"
      "thread t1\n load x0 r0\n skip r0 0 1\n fence\nthread t2\n store x0 1\n";
  const std::pair<const char*, const char*> cases[] = {{"urw", kLocks},
                                                       {"urw", kJoinBetween},
                                                       {"urw", kCreationBehindJoin},
                                                       {"urw", kMoreOrLess},
                                                       {"surw", kLocks}};
  for (const auto& [name, text] : cases) {
    SCOPED_TRACE(std::string(name) + ": " + text);
    Sample found = sample(code_of(text), name);
    ASSERT_TRUE(found.chance);
    EXPECT_TRUE(found.chance->unfit);
    EXPECT_FALSE(found.chance->log_least);
  }
}

// The thread of each store to x0.
Counts orders_of(const ToyCode& code, const Counts& schedules) {
  Counts orders;
  for (const auto& [schedule, count] : schedules) {
    std::string order;
    std::array<std::vector<Instruction>, kToyThreads> visible;
    for (std::size_t thread = 0; thread < code.threads.size(); ++thread) {
      for (const Instruction& instruction : code.threads[thread]) {
        if (instruction.opcode != Opcode::create) visible[thread].push_back(instruction);
      }
    }
    std::array<std::size_t, kToyThreads> next{};
    for (char digit : schedule) {
      auto thread = static_cast<std::size_t>(digit - '0');
      const Instruction& instruction = visible[thread][next[thread]++];
      if (instruction.opcode == Opcode::store && instruction.operands[0] == 0) order += digit;
    }
    orders[order] += count;
  }
  return orders;
}

struct SelectedCase {
  const char* code;
  std::string order;  // one of them, the first by the alphabet
};

// The order of the operations on x0, the only object that is shared, whatever else the threads do. In the
// second program the one that is drawn may create another before its turn.
TEST(Sampling, SurwGivesEachOrderOfASharedObjectsOperationsTheSameChance) {
  const SelectedCase cases[] = {
      {"thread t0\n create t1\n create t2\n create t3\n"
       "thread t1\n store x1 1\n store x1 2\n store x1 3\n store x0 1\n store x0 2\n store x0 3\n"
       "thread t2\n store x0 4\n store x2 1\n store x0 5\n"
       "thread t3\n fence\n store x0 6\n",
       "111223"},
      {"thread t0\n create t1\n store x1 1\n create t2\n store x0 1\n store x0 2\n"
       "thread t1\n store x0 3\n fence\n"
       "thread t2\n store x0 4\n fence\n store x0 5\n",
       "00122"}};
  for (const SelectedCase& one : cases) {
    SCOPED_TRACE(one.code);
    ToyCode code = code_of(one.code);
    std::vector<std::string> all;
    std::string order = one.order;
    do all.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    Sample found = sample(code, "surw");
    expect_distribution(orders_of(code, found.schedules), uniform(all));
    ASSERT_TRUE(found.chance && found.chance->log_least);
    EXPECT_EQ(found.chance->objects, 1u);
    EXPECT_EQ(found.chance->steps, one.order.size());
    EXPECT_NEAR(std::exp(*found.chance->log_least), 1 / static_cast<double>(all.size()), 1e-9);
    EXPECT_GT(distance(orders_of(code, sample(code, "random").schedules), uniform(all)), 30)
        << "else it is no test";
  }
}

}  // namespace
}  // namespace thrum
