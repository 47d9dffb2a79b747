// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of executions of small programs, against formulas: a check that needs neither oracle nor search
// to be right, made of both.
#include <gtest/gtest.h>

#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {
namespace {

std::uint64_t choose(int n, int k) {
  if (k < 0 || k > n) return 0;
  std::uint64_t result = 1;
  for (int i = 0; i < k; ++i) {
    result = result * static_cast<std::uint64_t>(n - i) / static_cast<std::uint64_t>(i + 1);
  }
  return result;
}

// Main creates the others and has nothing to do itself; thread i + 1 consists of texts[i].
ToyCode threads(const std::vector<std::string>& texts) {
  std::string text = "thread t0\n";
  for (std::size_t i = 1; i <= texts.size(); ++i) text += "create t" + std::to_string(i) + "\n";
  for (std::size_t i = 1; i <= texts.size(); ++i)
    text += "thread t" + std::to_string(i) + "\n" + texts[i - 1];
  return parse(text).value();
}

std::string loads(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "load x0 r0\n";
  return text;
}

// How many executions the search runs that cost exactly 0, 1, 2, ... (nothing behind the last that is not 0).
std::vector<std::uint64_t> search(const ToyCode& code, Base base) {
  ToyProgram program(code);
  Systematic strategy({base, std::nullopt, true});
  std::vector<std::uint64_t> counts;
  Plan plan;
  Trace trace;
  while (strategy.next(plan)) {
    program.run(plan, strategy.advisor(), strategy.wanted(), trace);
    counts.resize(std::max<std::size_t>(counts.size(), trace.cost + 1));
    ++counts[trace.cost];
    strategy.learn(plan, trace);
  }
  return counts;
}

std::uint64_t total(const ToyCode& code) {
  std::uint64_t sum = 0;
  for (std::uint64_t count : search(code, Base::nonpreemptive)) sum += count;
  EXPECT_EQ(sum, enumerate(code).executions.size());
  return sum;
}

void expect_counts(const std::vector<std::uint64_t>& counts, const std::map<int, std::uint64_t>& oracle,
                   const std::function<std::uint64_t(int)>& formula) {
  for (int c = 0; c < static_cast<int>(counts.size()) + 2; ++c) {
    auto index = static_cast<std::size_t>(c);
    EXPECT_EQ(index < counts.size() ? counts[index] : 0, formula(c)) << "cost " << c;
    EXPECT_EQ(oracle.contains(c) ? oracle.at(c) : 0, formula(c)) << "cost " << c;
  }
}

// Two threads of 2 and 4 events: C(6, 2) = 15 interleavings,
//
//   112222  121222  122122  122212  122221
//   211222  212122  212212  212221
//   221122  221212  221221
//   222112  222121
//   222211
TEST(Counts, FifteenInterleavings) {
  std::set<std::string> expected = {"112222", "121222", "122122", "122212", "122221",
                                    "211222", "212122", "212212", "212221", "221122",
                                    "221212", "221221", "222112", "222121", "222211"};
  ToyCode code = threads({loads(2), loads(4)});
  std::set<std::string> enumerated;
  for (const auto& [schedule, ending] : enumerate(code).executions) enumerated.insert(schedule);
  EXPECT_EQ(enumerated, expected);
  EXPECT_EQ(total(code), 15u);
}

// n and m events: C(n + m, n).
TEST(Counts, TwoStraightLines) {
  for (int n = 0; n <= 5; ++n) {
    for (int m = 0; m <= 5; ++m) EXPECT_EQ(total(threads({loads(n), loads(m)})), choose(n + m, n));
  }
}

// n, m and k events: (n + m + k)! / (n! m! k!) = C(n + m + k, n) C(m + k, m).
TEST(Counts, ThreeStraightLines) {
  for (auto [n, m, k] : {std::array{1, 1, 1}, {2, 1, 3}, {2, 2, 2}, {0, 3, 2}, {3, 3, 2}}) {
    EXPECT_EQ(total(threads({loads(n), loads(m), loads(k)})), choose(n + m + k, n) * choose(m + k, m));
  }
}

// An interleaving of two straight lines is cut into a blocks of the first thread and b of the second, in
// turn, so that |a - b| <= 1. Every end of a block is a preemption unless it is its thread's last: a + b - 2
// preemptions. A line of n events is cut into a blocks in C(n - 1, a - 1) ways, and where a = b either may
// begin. With first(c) of the executions that the first thread begins, and second(c) likewise:
std::uint64_t first(int n, int m, int c) { return choose(n - 1, (c + 1) / 2) * choose(m - 1, c / 2); }
std::uint64_t second(int n, int m, int c) { return first(m, n, c); }

TEST(Counts, ExactlySoManyPreemptions) {
  for (int n = 1; n <= 5; ++n) {
    for (int m = 1; m <= 5; ++m) {
      ToyCode code = threads({loads(n), loads(m)});
      expect_counts(search(code, Base::nonpreemptive), enumerate(code).by_preemptions,
                    [&](int c) { return first(n, m, c) + second(n, m, c); });
    }
  }
}

// By round-robin the first thread is next after main; to begin with the second is one delay more.
TEST(Counts, ExactlySoManyDelays) {
  for (int n = 1; n <= 5; ++n) {
    for (int m = 1; m <= 5; ++m) {
      ToyCode code = threads({loads(n), loads(m)});
      expect_counts(search(code, Base::round_robin), enumerate(code).by_delays,
                    [&](int d) { return first(n, m, d) + (d > 0 ? second(n, m, d - 1) : 0); });
    }
  }
}

// p events, then a lock section of k events, lock and unlock included, as the thread's last. The sections are
// one after the other. What the second thread to enter does before, its p events, lies anywhere among the
// p + k of the first: C(2p + k, p), and either may be first.
TEST(Counts, LockSections) {
  for (int p = 0; p <= 3; ++p) {
    for (int k = 2; k <= 4; ++k) {
      std::string body = loads(p) + "lock m0\n" + loads(k - 2) + "unlock m0\n";
      EXPECT_EQ(total(threads({body, body})), 2 * choose(2 * p + k, p));
    }
  }
}

// n threads that each post once, and one that waits for all: its n waits come behind the first, second, ...
// post. So many sequences of n posts and n waits, no prefix with more waits than posts, as there are Catalan
// numbers; n! orders of the posts: C(2n, n) / (n + 1) * n!
TEST(Counts, SemaphoresAreBallots) {
  EXPECT_EQ(total(threads({"up s0\n", "up s0\n", "down s0\ndown s0\n"})), choose(4, 2) / 3 * 2);
  EXPECT_EQ(total(threads({"up s0\n", "up s0\n", "up s0\n", "down s0\ndown s0\ndown s0\n"})),
            choose(6, 3) / 4 * 6);
}

// A value of n ways, and then one of m: n m executions, all at no cost.
TEST(Counts, Values) {
  EXPECT_EQ(search(threads({"choose r0 3\nchoose r1 4\n"}), Base::nonpreemptive),
            std::vector<std::uint64_t>{12});
}

// A program with n threads of at most k steps, at most b of them potentially blocking, has at most C(nk, c)
// (nb + c)! executions with c preemptions (Musuvathi and Qadeer, Theorem 1). The end of a thread is a step
// that blocks, and so is here a yield, since leaving before it costs nothing. The theorem knows threads only:
// no values, no choice among waiters, no timeouts.
double bound_of_theorem_1(int n, int k, int b, int c) {
  double bound = 1;
  for (int i = 0; i < c; ++i) bound = bound * (n * k - i) / (i + 1);
  for (int i = 2; i <= n * b + c; ++i) bound *= i;
  return bound;
}

TEST(Counts, Theorem1) {
  const std::uint64_t kPrograms = by_default(300);
  std::uint64_t checked = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    RandomProgram program = random_program(seed, Family::a, 5'000);
    auto n = static_cast<int>(program.code.threads.size());
    int k = 0;
    int b = 0;
    bool outside = false;
    for (const auto& thread : program.code.threads) {
      int steps = 1;
      int blocking = 1;
      for (const Instruction& instruction : thread) {
        switch (instruction.opcode) {
          case Opcode::choose:
          case Opcode::signal:
          case Opcode::timed_wait: outside = true; break;
          case Opcode::wait: ++steps; [[fallthrough]];
          case Opcode::lock:
          case Opcode::down:
          case Opcode::yield:
          case Opcode::join: ++blocking; break;
          default: break;
        }
        ++steps;
      }
      k = std::max(k, steps);
      b = std::max(b, blocking);
    }
    if (outside) continue;
    ++checked;
    for (const auto& [c, executions] : program.findings.by_preemptions) {
      EXPECT_LE(static_cast<double>(executions), bound_of_theorem_1(n, k, b, c)) << print(program.code);
    }
  }
  EXPECT_GT(checked, kPrograms / 6);
}

}  // namespace
}  // namespace thrum
