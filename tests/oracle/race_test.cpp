// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race detector against Goldilocks and the oracle, on the random programs of family B; and both against
// happens-before by its definition, on handwritten programs and on random steps.
//
//   THRUM_ORACLE_RACES   random programs (100000 are the full run)
//   THRUM_ORACLE_SEED    seed of the first (1); the next has the next seed
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "oracle/compare_races.hpp"
#include "oracle/goldilocks.hpp"
#include "oracle/happens_before.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"
#include "search/reduction/dpor.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

constexpr std::size_t kRaceExecutionsMax = 1'000;
constexpr std::size_t kFinestMax = 10'000'000;
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kRacePrograms = 100;
#else
constexpr std::uint64_t kRacePrograms = 4'000;
#endif

// With assertions that never fail: what stops executions hides races.
ToyCode without_assertions(ToyCode code) {
  for (auto& thread : code.threads) {
    for (Instruction& instruction : thread) {
      if (instruction.opcode == Opcode::equal || instruction.opcode == Opcode::unequal)
        instruction.opcode = Opcode::skip;  // of no instructions
    }
  }
  return code;
}

// All atomic operations and fences seq_cst, or all relaxed and no fences.
ToyCode with_orders(ToyCode code, bool strongest) {
  for (auto& thread : code.threads) {
    for (Instruction& instruction : thread) {
      if (strongest) {
        instruction.order = Order::seq_cst;
      } else if (instruction.opcode == Opcode::fence) {
        instruction = {Opcode::yield};
      } else if (may_have(instruction.opcode, Order::relaxed)) {
        instruction.order = Order::relaxed;
      }
    }
  }
  return code;
}

bool is_racy(const ToyCode& code) { return enumerate(code, {.only_races = true}).racy; }

TEST(Races, DetectorsAndOracleAgreeOnFamilyB) {
  std::uint64_t programs = setting("THRUM_ORACLE_RACES", kRacePrograms);
  std::uint64_t seed = setting("THRUM_ORACLE_SEED", 1);
  RaceComparison comparison;
  RaceCount count;
  std::uint64_t too_weak = 0;     // programs with a race that stronger orders prevent
  std::uint64_t just_enough = 0;  // without a race, but weaker orders make one
  for (std::uint64_t end = seed + programs; seed < end; ++seed) {
    ToyCode code = without_assertions(random_program(seed, Family::b, kRaceExecutionsMax).code);
    auto compare = [&](const ToyCode& program, RaceCount& counted) {
      return comparison.compare_program(program, enumerate(program), kFinestMax, counted);
    };
    std::string wrong = compare(code, count);
    bool racy = is_racy(code);
    too_weak += racy && !is_racy(with_orders(code, true)) ? 1 : 0;
    just_enough += !racy && is_racy(with_orders(code, false)) ? 1 : 0;
    if (wrong.empty()) continue;
    RaceCount ignored;
    ToyCode small = shrink(code, [&](const ToyCode& smaller) { return !compare(smaller, ignored).empty(); });
    ADD_FAILURE() << "# seed " << seed << ", family B: " << wrong << "\n# shrunk: " << compare(small, ignored)
                  << "\n"
                  << print(small);
    break;
  }
  std::cout << programs << " programs, " << count.racy << " racy; " << count.traces << " traces, "
            << count.racy_traces << " racy; " << too_weak << " programs whose orders are too weak, "
            << just_enough << " where they are just enough; " << count.stopped
            << " programs where a bug hides a race, " << count.undecided << " too large for the oracle\n";
  // Else little was compared.
  EXPECT_GE(count.racy, programs / 5);
  EXPECT_GE(programs - count.racy, programs / 5);
  EXPECT_GE(too_weak, programs / 40);
  EXPECT_GE(just_enough, programs / 40);
  EXPECT_LE(count.stopped + count.undecided, programs / 100);
}

struct Litmus {
  const char* name;
  const char* text;
  bool racy;
};

// In all of them main writes p0 behind the creation, and t1 (or t2) comes to use it by way of x0.
constexpr Litmus kLitmus[] = {
    {"release and acquire: the load that sees the flag knows what came before the store",
     "thread t0\n create t1\n write p0 1\n store.release x0 1\n"
     "thread t1\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     false},
    {"a relaxed store releases nothing",
     "thread t0\n create t1\n write p0 1\n store.relaxed x0 1\n"
     "thread t1\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     true},
    {"a relaxed load acquires nothing",
     "thread t0\n create t1\n write p0 1\n store.release x0 1\n"
     "thread t1\n load.relaxed x0 r0\n skip r0 0 1\n read p0 r1\n",
     true},
    {"a release orders nothing that comes behind it",
     "thread t0\n create t1\n store.release x0 1\n write p0 1\n"
     "thread t1\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     true},
    {"fences on both sides of relaxed operations",
     "thread t0\n create t1\n write p0 1\n fence.release\n store.relaxed x0 1\n"
     "thread t1\n load.relaxed x0 r0\n skip r0 0 2\n fence.acquire\n read p0 r1\n",
     false},
    {"a release fence behind the store comes too late",
     "thread t0\n create t1\n write p0 1\n store.relaxed x0 1\n fence.release\n"
     "thread t1\n load.relaxed x0 r0\n skip r0 0 2\n fence.acquire\n read p0 r1\n",
     true},
    {"an acquire fence before the load comes too early",
     "thread t0\n create t1\n write p0 1\n fence.release\n store.relaxed x0 1\n"
     "thread t1\n fence.acquire\n load.relaxed x0 r0\n skip r0 0 1\n read p0 r1\n",
     true},
    {"an acquire fence does not release, whoever reads",
     "thread t0\n create t1\n write p0 1\n fence.acquire\n store.relaxed x0 1\n"
     "thread t1\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     true},
    {"seq_cst fences alone, with nothing read from the other: their total order is no happens-before",
     "thread t0\n create t1\n write p0 1\n fence\n thread t1\n fence\n read p0 r1\n", true},
    {"a fence between relaxed operations in the middle hands on what it has read",
     "thread t0\n create t1\n create t2\n write p0 1\n store.release x0 1\n"
     "thread t1\n load.relaxed x0 r0\n skip r0 0 2\n fence.acq_rel\n store.relaxed x1 1\n"
     "thread t2\n load.acquire x1 r0\n skip r0 0 1\n read p0 r1\n",
     false},
    {"a relaxed read-modify-write of another thread continues the release sequence",
     "thread t0\n create t1\n create t2\n write p0 1\n store.release x0 1\n"
     "thread t1\n cas.relaxed x0 r0 1 2\n"
     "thread t2\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     false},
    {"and so it does where the release is a fence",
     "thread t0\n create t1\n create t2\n write p0 1\n fence.release\n store.relaxed x0 1\n"
     "thread t1\n cas.relaxed x0 r0 1 2\n"
     "thread t2\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     false},
    {"a relaxed store of another thread ends it",
     "thread t0\n create t1\n create t2\n write p0 1\n store.release x0 1\n"
     "thread t1\n load.relaxed x0 r0\n skip r0 0 1\n store.relaxed x0 2\n"
     "thread t2\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     true},
    {"since C++20 a relaxed store of the same thread ends it, too",
     "thread t0\n create t1\n write p0 1\n store.release x0 1\n store.relaxed x0 2\n"
     "thread t1\n load.acquire x0 r0\n skip r0 0 1\n skip r0 1 1\n read p0 r1\n",
     true},
    {"the read-modify-write itself learns only by its own order",
     "thread t0\n create t1\n write p0 1\n store.release x0 1\n"
     "thread t1\n cas.release x0 r0 1 2\n skip r0 0 1\n read p0 r1\n",
     true},
    {"a compare-and-swap that fails is a load with the order that is left",
     "thread t0\n create t1\n write p0 1\n store.release x0 1\n"
     "thread t1\n cas.acq_rel x0 r0 0 0\n skip r0 1 1\n read p0 r1\n",
     false},
    {"and releases nothing",
     "thread t0\n create t1\n load.relaxed x0 r2\n write p0 1\n cas.release x0 r0 5 6\n skip r2 0 1\n"
     " store.relaxed x1 1\n"
     "thread t1\n store.relaxed x0 1\n load.acquire x1 r0\n skip r0 0 1\n read p0 r1\n",
     true},
    {"counting references: relaxed up, acq_rel down, the last one may do what it likes",
     "thread t0\n add.relaxed x0 r0 2\n create t1\n write p0 1\n add.acq_rel x0 r0 1\n skip r0 2 1\n"
     " write p0 2\n"
     "thread t1\n add.acq_rel x0 r0 1\n skip r0 2 1\n write p0 3\n",
     false},
    {"with relaxed down it may not",
     "thread t0\n add.relaxed x0 r0 2\n create t1\n write p0 1\n add.relaxed x0 r0 1\n skip r0 2 1\n"
     " write p0 2\n"
     "thread t1\n add.relaxed x0 r0 1\n skip r0 2 1\n write p0 3\n",
     true},
    {"a read-modify-write that leaves the value as it was passes nothing on",
     "thread t0\n create t1\n write p0 1\n store.relaxed x0 1\n add.acq_rel x0 r0 0\n"
     "thread t1\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     true},
    {"but it does not end what a release before it passes on",
     "thread t0\n create t1\n write p0 1\n store.release x0 1\n add.relaxed x0 r0 0\n"
     "thread t1\n load.acquire x0 r0\n skip r0 0 1\n read p0 r1\n",
     false},
    {"and takes over what was passed on",
     "thread t0\n create t1\n write p0 1\n store.release x0 1\n"
     "thread t1\n add.acq_rel x0 r0 0\n skip r0 0 1\n read p0 r1\n",
     false},
    {"a plain read of an atomic variable against a store",
     "thread t0\n create t1\n store.relaxed x0 1\n thread t1\n yield\n peek x0 r0\n", true},
    {"a plain read against an atomic load is none",
     "thread t0\n create t1\n load.relaxed x0 r0\n thread t1\n yield\n peek x0 r0\n", false},
    {"a plain write against an atomic load",
     "thread t0\n create t1\n load.relaxed x0 r0\n thread t1\n yield\n poke x0 1\n", true},
    {"a plain write before the release that the acquire reads",
     "thread t0\n create t1\n lock m0\n poke x0 1\n store.release x0 2\n unlock m0\n"
     "thread t1\n lock m0\n load.acquire x0 r0\n unlock m0\n",
     false},
    {"two neighbours at once against one of them, across eight bytes",
     "thread t0\n create t1\n writetwo q1 1\n thread t1\n yield\n read p2 r0\n", true},
    {"but not against the third", "thread t0\n create t1\n writetwo q1 1\n thread t1\n yield\n read p0 r0\n",
     false},
    {"posts of a semaphore add up",
     "thread t0\n create t1\n create t2\n write p0 1\n up s0\n thread t1\n write p1 1\n up s0\n"
     "thread t2\n down s0\n down s0\n read p0 r0\n read p1 r1\n",
     false},
    {"a signal orders nothing",
     "thread t0\n create t1\n write p0 1\n signal c0\n"
     "thread t1\n lock m0\n timedwait c0 m0 r0 1\n unlock m0\n read p0 r1\n",
     true},
};

TEST(Races, Litmus) {
  RaceComparison comparison;
  for (const Litmus& litmus : kLitmus) {
    std::optional<ToyCode> code = parse(litmus.text);
    ASSERT_TRUE(code) << litmus.name;
    Findings findings = enumerate(*code);
    EXPECT_EQ(findings.racy, litmus.racy) << litmus.name;
    RaceCount count;
    EXPECT_EQ(comparison.compare_program(*code, findings, 0, count), "") << litmus.name;
    EXPECT_EQ(count.racy, litmus.racy ? 1u : 0u) << litmus.name;
  }
}

// Executions of one class have the same races: one of each class shows whether there is one.
TEST(Races, ReductionsShowThem) {
  const std::uint64_t programs = setting("THRUM_ORACLE_RACES", kRacePrograms);
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::uint64_t racy = 0;
  for (std::uint64_t seed = first; seed < first + programs && !HasFailure(); ++seed) {
    const ToyCode code = random_program(seed, Family::b, kRaceExecutionsMax).code;
    ToyProgram program(code);
    RaceTrace steps;
    program.record_races(&steps);
    Dpor dpor(Dpor::Algorithm::optimal);
    Plan plan;
    Trace trace;
    bool found = false;
    while (!found && dpor.next(plan)) {
      steps.clear();
      program.run(plan, dpor.advisor(), dpor.wanted(), trace);
      dpor.learn(plan, trace);
      Goldilocks detector;
      found = std::ranges::any_of(steps, [&](const RaceStep& step) { return !detector.step(step).empty(); });
    }
    racy += found ? 1 : 0;
    EXPECT_EQ(found, is_racy(code)) << "seed " << seed << "\n" << print(code);
  }
  EXPECT_GE(racy, programs / 5);
  EXPECT_GE(programs - racy, programs / 5);
}

// Steps drawn one by one, of all sizes and in any order, as no toy program has them.
class RandomSteps {
 public:
  explicit RandomSteps(std::uint64_t seed) : random_(seed), atomics_apart_(random_.below(2) == 0) {}

  RaceTrace trace(std::size_t length) {
    RaceTrace trace;
    while (trace.size() < length) trace.push_back(step());
    return trace;
  }

 private:
  using What = RaceStep::What;
  // Three times eight bytes are plain; in the last of them, and behind, there are atomics, too.
  static constexpr std::uint64_t kMemory = 0x1000;
  static constexpr std::uint64_t kAtomics = 0x1010;
  static constexpr std::uint64_t kObjects = 0x2000;

  RaceStep step() {
    RaceStep step;
    do step.thread = static_cast<std::uint16_t>(random_.below(lives_.size()));
    while (!lives_[step.thread]);
    if (lives_.size() < 4 && random_.below(4) == 0) {
      step.what = What::create;
      step.address = lives_.size();
      lives_.push_back(true);
      return step;
    }
    if (random_.below(24) == 0 && lives_.size() > 1) {
      std::size_t other = 1 + random_.below(lives_.size() - 1);
      if (other != step.thread && lives_[other]) {
        step.what = What::join;
        step.address = other;
        lives_[other] = false;
        return step;
      }
    }
    return other_step(step);
  }

  RaceStep other_step(RaceStep step) {
    step.order = static_cast<Order>(random_.below(kOrderCount));
    std::uint64_t what = random_.below(20);
    if (what < 6) {
      step.what = random_.below(2) == 0 ? What::plain_read : What::plain_write;
      step.address = kMemory + random_.below(20);
      step.size = 1U << random_.below(4);
    } else if (what < 15) {
      step.what = what < 9 ? What::load : what < 12 ? What::store : What::read_modify_write;
      if (what == 14 && random_.below(2) == 0) step.what = What::read_modify_nothing;
      step.address = (atomics_apart_ ? kAtomics + 16 : kAtomics) + 2 * random_.below(3);
      step.size = 2;
    } else if (what < 17) {
      step.what = What::fence;
    } else {
      step.what = what == 17 ? What::acquire : what == 18 ? What::release_more : What::release;
      step.address = kObjects + random_.below(2);
    }
    return step;
  }

  Random random_;
  bool atomics_apart_;
  std::vector<bool> lives_ = {true};
};

TEST(Races, DetectorsAgreeWithTheDefinition) {
  RaceComparison comparison;
  int racy = 0;
  int silent = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    RaceTrace trace = RandomSteps(seed).trace(5 + seed % 40);
    HappensBefore happens_before(trace);
    Goldilocks goldilocks;
    std::size_t first = trace.size();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      std::vector<std::size_t> racing = goldilocks.step(trace[i]);
      ASSERT_EQ(racing, happens_before.racing(i)) << "seed " << seed << ", step " << i << '\n'
                                                  << print(trace);
      if (!racing.empty()) first = std::min(first, i);
    }
    ++(first == trace.size() ? silent : racy);
    // Behind the first race the detector need not tell of all.
    if (first != trace.size()) trace.resize(first + 1);
    bool found = false;
    ASSERT_EQ(comparison.compare_trace(trace, found), "") << "seed " << seed;
  }
  EXPECT_GT(racy, 1000);
  EXPECT_GT(silent, 1000);
}

}  // namespace
}  // namespace thrum
