// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithm 2 as its paper prints it (reference_dpor.cpp) against the brute-force oracle on small programs,
// and the product's reductions against it on programs that have too many interleavings for the oracle.
// Classes are compared by their exact names.
//
//   THRUM_ORACLE_REFERENCE   random programs of each family (200 small ones and 6 larger ones)
//   THRUM_ORACLE_EXECUTIONS  that `dpor` runs of a larger one, at most (4000)
//   THRUM_ORACLE_SEED        seed of the first (1); the next has the next seed
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/compare_reduction.hpp"
#include "oracle/interpreter.hpp"
#include "oracle/once_failed.hpp"
#include "oracle/random_program.hpp"
#include "oracle/reference_dpor.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"

namespace thrum {
namespace {

constexpr std::size_t kInterleavingsMax = 3'000;  // of small programs
constexpr std::uint64_t kClassesLeast = 300;      // of larger ones, or a tenth of THRUM_ORACLE_EXECUTIONS
constexpr int kTimes = 2;                         // larger_program()

// What a strategy ran.
struct Ran {
  std::uint64_t executions = 0;
  std::uint64_t in_vain = 0;           // that the strategy broke off
  std::uint64_t failed = 0;            // that a bug stopped
  std::map<std::string, int> classes;  // as of ReferenceResult
  std::set<std::string> final_states;
  std::set<ToyBug> bugs;
  bool fails_behind_join = false;
};

// The name of an execution's class, by its schedule: the oracle's interpreter follows it.
std::string class_of(const ToyCode& code, const std::string& schedule) {
  const Interpreter interpreter(code, false);
  OracleState state = interpreter.start();
  std::vector<Event> events;
  for (std::string_view rest = schedule; !rest.empty();) {
    const Move move{rest[0] - '0'};
    OracleState after;
    std::string text;
    for (int way = 0; text.empty() || !rest.starts_with(text); ++way) {
      if (way == interpreter.count_ways(state, move)) return "an execution that there is not: " + schedule;
      after = state;
      text.clear();
      const Event event = interpreter.step(after, move, way, text);
      if (rest.starts_with(text)) events.push_back(event);
    }
    state = after;
    rest.remove_prefix(text.size());
  }
  return name_of_class(events);
}

// Nothing: more executions than that.
std::optional<Ran> run_strategy(const ToyCode& code, const std::string& name, std::uint64_t executions_max) {
  const std::unique_ptr<Strategy> strategy = make_strategy(name, {});
  ToyProgram program(code);
  Plan plan;
  Trace trace;
  Ran ran;
  while (strategy->next(plan)) {
    if (++ran.executions > executions_max) return {};
    program.run(plan, strategy->advisor(), strategy->wanted(), trace);
    strategy->learn(plan, trace);
    ran.fails_behind_join = ran.fails_behind_join || is_behind_join(trace);
    if (trace.end == End::bug) ran.bugs.insert(bug_of(trace.failure));
    if (trace.end == End::stopped) {
      ++ran.in_vain;
    } else if (trace.end == End::bug && trace.failure.kind != BugKind::deadlock) {
      ++ran.failed;
    } else {
      ran.final_states.insert(print(program.final_state()));
      ++ran.classes[class_of(code, program.schedule())];
    }
  }
  return ran;
}

// The first class that only one of them has; empty: there is none.
std::string difference(const std::map<std::string, int>& expected, const std::map<std::string, int>& seen) {
  for (const auto& [name, times] : expected) {
    if (!seen.contains(name)) return "missed the class " + name;
  }
  for (const auto& [name, times] : seen) {
    if (!expected.contains(name)) return "a class that there is not: " + name;
  }
  return "";
}

// The first class of which several executions were run; empty: there is none.
std::string repetition(const std::map<std::string, int>& classes) {
  for (const auto& [name, times] : classes) {
    if (times > 1) return "the class " + name + ": " + std::to_string(times) + " executions";
  }
  return "";
}

// What Algorithm 2 promises of itself: empty, or what it did not keep.
std::string compare_with_promise(const ReferenceResult& reference) {
  if (reference.asleep != 0) return "something slept where a wakeup tree ended";
  return repetition(reference.classes);
}

std::string compare_with_brute_force(const ToyCode& code) {
  const Findings findings = enumerate(code, {.count_classes = true});
  const ReferenceResult reference = explore_by_reference(code, findings.executions.size());
  if (reference.gave_up) return "more executions than interleavings";
  std::map<std::string, int> classes;
  for (const std::string& name : findings.classes) classes[name] = 1;
  if (std::string wrong = compare_with_promise(reference); !wrong.empty()) return wrong;
  if (std::string wrong = difference(classes, reference.classes); !wrong.empty()) return wrong;
  if (reference.final_states != findings.final_states()) return "other final states";
  std::set<ToyBug> bugs;
  for (const auto& [bug, preemptions] : findings.bugs) bugs.insert(bug);
  return reference.bugs == bugs ? "" : "other bugs";
}

std::string compare_strategy(const std::string& name, const ReferenceResult& reference, const Ran& ran,
                             bool has_choices) {
  if (std::string wrong = difference(reference.classes, ran.classes); !wrong.empty()) return wrong;
  if (ran.final_states != reference.final_states) return "other final states";
  if (ran.bugs != reference.bugs) return "other bugs";
  if (ran.executions < reference.classes.size()) return "fewer executions than classes";
  if (name != "dpor") return "";
  // What docs/strategies.md takes out of the promise.
  if (std::string twice = repetition(ran.classes); !twice.empty() && !ran.fails_behind_join) return twice;
  if (ran.failed != 0 || ran.executions == reference.executions) return "";
  if (has_choices && ran.executions - ran.in_vain == reference.executions) return "";
  return std::to_string(ran.executions) + " executions instead of " + std::to_string(reference.executions);
}

// Of larger programs.
struct Total {
  std::uint64_t classes = 0;
  std::uint64_t classes_max = 0;  // of one program
  std::uint64_t with_bugs = 0;
  std::uint64_t given_up = 0;  // searches that were too long
  std::uint64_t in_vain = 0;
  std::map<std::string, std::uint64_t> executions;
};

// Nothing: it is not for the reference, or `dpor` runs too many executions, or there are too few classes.
std::optional<std::string> compare_with_product(const ToyCode& code, std::uint64_t classes_least,
                                                std::uint64_t executions_max, Total& total) {
  if (!is_for_reference(code)) return {};
  const std::optional<Ran> optimal = run_strategy(code, "dpor", executions_max);
  if (!optimal || optimal->classes.size() < classes_least) return {};
  const ReferenceResult reference = explore_by_reference(code, 20 * executions_max);
  total.given_up += reference.gave_up ? 1 : 0;
  if (reference.gave_up) return {};
  total.classes += reference.classes.size();
  total.classes_max = std::max<std::uint64_t>(total.classes_max, reference.classes.size());
  total.with_bugs += reference.bugs.empty() ? 0 : 1;
  total.executions["reference"] += reference.executions;
  total.in_vain += optimal->in_vain;
  if (std::string wrong = compare_with_promise(reference); !wrong.empty()) return "reference: " + wrong;
  for (const std::string name : {"dpor", "dpor-source", "dpor-persistent", "race-flip"}) {
    const std::uint64_t most = (name == "race-flip" ? 5 : 20) * executions_max;
    const std::optional<Ran> ran = name == "dpor" ? optimal : run_strategy(code, name, most);
    if (name != "race-flip") total.given_up += ran ? 0 : 1;  // that one may run far more executions
    if (!ran) continue;
    total.executions[name] += ran->executions;
    const std::string wrong = compare_strategy(name, reference, *ran, chooses(code));
    if (!wrong.empty()) return name + ": " + wrong;
  }
  return "";
}

// The program as the reference can run it: a timed wait waits for a signal only. without_assertions: most
// programs fail else, and have few classes.
ToyCode for_reference(ToyCode code, bool without_assertions) {
  for (std::vector<Instruction>& thread : code.threads) {
    if (without_assertions) {
      std::erase_if(thread, [](const Instruction& instruction) {
        return instruction.opcode == Opcode::equal || instruction.opcode == Opcode::unequal;
      });
    }
    for (Instruction& instruction : thread) {
      if (instruction.opcode != Opcode::timed_wait) continue;
      instruction = {Opcode::wait, {instruction.operands[0], instruction.operands[1]}};
    }
  }
  return code;
}

using Comparison = std::function<std::string(const ToyCode&)>;

void report(std::uint64_t seed, const ToyCode& code, const std::string& wrong, const Comparison& compare) {
  const ToyCode small = shrink(code, [&](const ToyCode& some) { return !compare(some).empty(); });
  ADD_FAILURE() << "# seed " << seed << ": " << wrong << "\n# shrunk: " << compare(small) << "\n"
                << print(small);
}

class RandomReferenceDpor : public ::testing::TestWithParam<Family> {};

TEST_P(RandomReferenceDpor, AgreesWithBruteForceOnSmallPrograms) {
  const std::uint64_t count = setting("THRUM_ORACLE_REFERENCE", by_default(200));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::uint64_t interleavings = 0;
  std::uint64_t executions = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const ToyCode code = for_reference(random_program(seed, GetParam(), kInterleavingsMax).code, false);
    const std::string wrong = compare_with_brute_force(code);
    if (!wrong.empty()) return report(seed, code, wrong, compare_with_brute_force);
    interleavings += enumerate(code).executions.size();
    executions += explore_by_reference(code, kInterleavingsMax).executions;
  }
  std::cout << interleavings << " interleavings, " << executions << " executions\n";
  if (count < 40) return;  // of few programs one may decide
  EXPECT_LT(executions, interleavings / 10) << "else there was little to reduce";
}

TEST_P(RandomReferenceDpor, AgreesWithTheProductOnLargerPrograms) {
  const std::uint64_t count = setting("THRUM_ORACLE_REFERENCE", by_default(6));
  const std::uint64_t executions_max = setting("THRUM_ORACLE_EXECUTIONS", 4'000);
  const std::uint64_t classes_least = std::min(kClassesLeast, executions_max / 10);
  Total total;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = setting("THRUM_ORACLE_SEED", 1); compared < count; ++seed) {
    const ToyCode code = for_reference(larger_program(seed, GetParam(), kTimes), seed % 4 != 0);
    const std::optional<std::string> wrong = compare_with_product(code, classes_least, executions_max, total);
    if (!wrong) continue;
    if (!wrong->empty()) {
      return report(seed, code, *wrong, [&](const ToyCode& some) {
        Total ignored;
        return compare_with_product(some, 0, executions_max, ignored).value_or("");
      });
    }
    const bool is_larger = enumerate(code, {.executions_max = kInterleavingsMax}).gave_up;
    compared += is_larger ? 1 : 0;
  }
  std::cout << total.classes << " classes, of one program at most " << total.classes_max << "; "
            << total.with_bugs << " programs with bugs; executions:";
  for (const auto& [name, executions] : total.executions) std::cout << ' ' << name << ' ' << executions;
  std::cout << "; " << total.in_vain << " in vain, " << total.given_up << " searches given up\n";
  EXPECT_LE(total.in_vain, total.executions["dpor"] / 10);
  EXPECT_LE(total.given_up, count / 4) << "else there was little to compare";
}

INSTANTIATE_TEST_SUITE_P(All, RandomReferenceDpor, ::testing::Values(Family::a, Family::c, Family::d),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST(ReferenceDpor, AgreesOnProgramsThatOnceFailed) {
  int programs = 0;
  for (const auto& [name, any] : programs_that_once_failed()) {
    ToyCode code = for_reference(any, false);
    code.spurious = false;
    if (!is_for_reference(code)) continue;
    ++programs;
    Total total;
    EXPECT_EQ(compare_with_brute_force(code), "") << name;
    EXPECT_EQ(compare_with_product(code, 0, 10'000, total), "") << name;
  }
  EXPECT_GT(programs, 0);
}

// Counted by hand, since the oracle and the reference share an interpreter.
TEST(ReferenceDpor, RunsEachClassOnce) {
  auto executions = [](const std::vector<std::string>& threads) {
    std::string text = "thread t0\n";
    for (std::size_t i = 1; i <= threads.size(); ++i) text += "create t" + std::to_string(i) + "\n";
    for (std::size_t i = 1; i <= threads.size(); ++i)
      text += "thread t" + std::to_string(i) + "\n" + threads[i - 1];
    const ReferenceResult result = explore_by_reference(parse(text).value(), 1'000);
    EXPECT_EQ(compare_with_promise(result), "");
    EXPECT_EQ(result.executions, result.classes.size());
    return result.executions;
  };
  EXPECT_EQ(executions({"store x0 1\n", "store x1 1\n"}), 1U);
  EXPECT_EQ(executions({"store x0 1\n", "store x0 1\n", "store x0 1\n"}), 6U) << "in each order";
  EXPECT_EQ(executions({"store x0 1\n", "load x0 r0\n", "load x0 r0\n", "load x0 r0\n"}), 8U);
  EXPECT_EQ(executions({"choose r0 3\n", "choose r0 2\n"}), 6U);
  EXPECT_EQ(executions({"lock m0\nunlock m0\n", "lock m0\nunlock m0\n"}), 2U);
  EXPECT_EQ(executions({"lock m0\nlock m1\n", "lock m1\nlock m0\n"}), 3U)
      << "one after the other, or both stuck";
  EXPECT_EQ(executions({"down s0\n", "down s0\n", "up s0\n"}), 2U) << "one of them waits for ever";
  EXPECT_EQ(executions({"lock m0\nwait c0 m0\nunlock m0\n", "signal c0\n"}), 2U);
}

}  // namespace
}  // namespace thrum
