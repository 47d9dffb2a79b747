// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stateful search against the oracle: the same ends, bugs and fewest preemptions as all executions have, and
// each state once.
//
//   THRUM_ORACLE_STATEFUL     random programs of each family (60, or 3 in a sanitized build)
//   THRUM_ORACLE_SEED         seed of the first (1); the next has the next seed
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "oracle/compare.hpp"
#include "oracle/once_failed.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_states.hpp"
#include "stateful/state_search.hpp"

namespace thrum {
namespace {

constexpr std::size_t kStatefulExecutionsMax = 5'000;
constexpr std::uint32_t kStatefulBoundMax = 3;

struct Reached {
  StateFindings findings;
  std::set<std::string> states;  // final ones
  std::map<ToyBug, int> bugs;    // but for races; with what they cost
  bool racy = false;
};

Reached search(const ToyCode& code, bool plain_is_visible, StatefulSettings settings) {
  ToyStates program(code, plain_is_visible);
  Reached reached;
  settings.at_end = [&] {
    const Ending ending = program.ending();
    if (!ending.has_bug || ending.bug.kind == BugKind::deadlock) reached.states.insert(print(ending.state));
  };
  reached.findings = StateSearch(program, settings).run();
  for (const StateBug& bug : reached.findings.bugs) {
    if (bug.failure.kind == BugKind::data_race)
      reached.racy = true;
    else
      reached.bugs.emplace(bug_of(bug.failure), static_cast<int>(bug.cost));
  }
  return reached;
}

// Every state that can be reached, by plain recursion, as content_of() writes it.
void collect_states(ToyStates& program, std::set<std::string>& states) {
  if (program.is_over() && program.failure().kind != BugKind::deadlock && program.end() == End::bug) return;
  const bool is_state = program.is_over() || program.point().key.kind == ChoiceKind::thread;
  if (is_state && !states.insert(program.content()).second) return;
  if (program.is_over()) return;
  const std::vector<Option> options(program.options().begin(), program.options().end());
  const StateProgram::Mark mark = program.mark();
  for (const Option option : options) {
    program.undo(mark);
    program.step(option);
    collect_states(program, states);
  }
}

std::string keys_of(const std::map<ToyBug, int>& bugs) {
  std::string text;
  for (const auto& [bug, cost] : bugs) text += name_of(bug) + "; ";
  return text;
}

std::string with_costs(const std::map<ToyBug, int>& bugs) {
  std::string text;
  for (const auto& [bug, cost] : bugs) text += name_of(bug) + " for " + std::to_string(cost) + "; ";
  return text;
}

// The schedule of a bug leads to it.
std::string replay(const ToyCode& code, bool plain_is_visible, const StateBug& bug) {
  ToyStates program(code, plain_is_visible);
  program.reset();
  std::uint32_t cost = 0;
  for (const Option option : bug.schedule) {
    if (program.is_over()) return "a schedule goes on behind the end";
    const auto taken = std::ranges::find(program.options(), option);
    if (taken == program.options().end()) return "a schedule takes an option that is not there";
    cost += option_cost(program.point(), program.options(),
                        static_cast<std::uint16_t>(taken - program.options().begin()), Base::nonpreemptive);
    program.step(option);
  }
  if (cost != bug.cost) return "a schedule costs something else";
  const std::vector<Failure> failures =
      bug.failure.kind == BugKind::data_race ? program.races() : std::vector{program.failure()};
  const auto is_it = [&](const Failure& failure) { return same_bug(failure, bug.failure); };
  return std::ranges::any_of(failures, is_it) ? "" : "a schedule does not lead to its bug";
}

std::string compare_complete(const Findings& findings, const Reached& reached, std::size_t states) {
  if (!reached.findings.is_complete()) return "is not complete";
  if (reached.findings.states != states)
    return std::to_string(reached.findings.states) + " states, not " + std::to_string(states);
  if (reached.states != findings.final_states()) return "other final states";
  if (keys_of(reached.bugs) != keys_of(findings.bugs)) return "other bugs: " + keys_of(reached.bugs);
  if (reached.racy && !findings.racy) return "a race that is none";
  return "";
}

// Within a bound: what the oracle's executions show that cost no more.
std::string compare_bounded(const ToyCode& code, bool visible, const Findings& findings,
                            std::uint32_t bound) {
  const Reached reached = search(code, visible, {.preemptions = bound});
  std::set<std::string> states;
  std::map<ToyBug, int> bugs;
  for (const auto& [schedule, ending] : findings.executions) {
    if (ending.preemptions > static_cast<int>(bound)) continue;
    if (ending.has_bug) bugs.emplace(ending.bug, 0);
    if (!ending.has_bug || ending.bug.kind == BugKind::deadlock) states.insert(print(ending.state));
  }
  if (reached.states != states) return "other final states within a bound";
  if (keys_of(reached.bugs) != keys_of(bugs)) return "other bugs within a bound";
  // Executions that cost more may come to no other states.
  if (reached.findings.is_complete() &&
      (states != findings.final_states() || keys_of(bugs) != keys_of(findings.bugs)))
    return "a bound excludes something, and this is not said";
  return "";
}

std::string compare_stateful(const ToyCode& code, bool visible) {
  const Findings findings =
      enumerate(code, {.plain_is_visible = visible, .executions_max = 4 * kStatefulExecutionsMax});
  if (findings.gave_up) return "";
  ToyStates program(code, visible);
  program.reset();
  std::set<std::string> states;
  collect_states(program, states);
  std::optional<std::size_t> bugs;  // races of different places are different bugs
  for (const auto order :
       {StatefulSettings::Order::dfs, StatefulSettings::Order::icb, StatefulSettings::Order::bfs}) {
    const Reached reached = search(code, visible, {.order = order});
    const std::string name = std::to_string(static_cast<int>(order)) + ": ";
    if (std::string wrong = compare_complete(findings, reached, states.size()); !wrong.empty())
      return name + wrong;
    if (bugs.value_or(reached.findings.bugs.size()) != reached.findings.bugs.size())
      return name + "another number of bugs";
    bugs = reached.findings.bugs.size();
    if (order == StatefulSettings::Order::icb && with_costs(reached.bugs) != with_costs(findings.bugs))
      return name + "other fewest preemptions: " + with_costs(reached.bugs);
    // A bug that stops an execution may hide a race behind it, in one order of the accesses.
    if (visible && !findings.stopped && !has_weak_orders(code) && reached.racy != findings.racy)
      return name + "a race is not found";
    for (const StateBug& bug : reached.findings.bugs) {
      if (std::string wrong = replay(code, visible, bug); !wrong.empty()) return name + wrong;
    }
  }
  for (std::uint32_t bound = 0; bound <= kStatefulBoundMax; ++bound) {
    if (std::string wrong = compare_bounded(code, visible, findings, bound); !wrong.empty()) return wrong;
    const std::uint32_t depth = 2 * bound + 1;
    const Reached deep = search(code, visible, {.depth = depth});
    const Reached wide = search(code, visible, {.order = StatefulSettings::Order::bfs, .depth = depth});
    if (deep.findings.states != wide.findings.states || deep.states != wide.states ||
        keys_of(deep.bugs) != keys_of(wide.bugs) ||
        (deep.findings.is_complete() && !wide.findings.is_complete()))
      return "within " + std::to_string(depth) + " steps dfs and bfs differ";
  }
  return "";
}

// The program, and the same where waits may also end for no reason.
std::vector<ToyCode> with_and_without_spurious(const ToyCode& code) {
  std::vector<ToyCode> codes = {code};
  if (!code.spurious && has_waits(code)) codes.emplace_back(code).spurious = true;
  return codes;
}

bool is_in_reach(const ToyCode& code) {
  return code.threads.size() <= kOracleThreads && std::ranges::none_of(code.threads, [](const auto& thread) {
           return std::ranges::any_of(thread, [](const Instruction& instruction) {
             return is_for_terms(instruction.opcode) || is_section(instruction.opcode);
           });
         });
}

// seed: of the program; 0: it is a named one.
void expect_same(const ToyCode& code, std::uint64_t seed) {
  if (!is_in_reach(code)) return;
  for (const bool visible : {false, true}) {
    const std::string wrong = compare_stateful(code, visible);
    if (wrong.empty()) continue;
    const auto fails = [&](const ToyCode& smaller) { return !compare_stateful(smaller, visible).empty(); };
    ADD_FAILURE() << "seed " << seed << (visible ? ", plain accesses are points: " : ": ") << wrong << "\n"
                  << print(shrink(code, fails));
  }
}

class Stateful : public testing::TestWithParam<Family> {};

TEST_P(Stateful, AsTheOracle) {
  const std::uint64_t count = setting("THRUM_ORACLE_STATEFUL", by_default(60));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomProgram program = random_program(seed, GetParam(), kStatefulExecutionsMax);
    for (const ToyCode& code : with_and_without_spurious(program.code)) expect_same(code, seed);
    if (HasFailure()) return;
  }
}

TEST(StatefulSearch, AgreesOnProgramsThatOnceFailed) {
  for (const OnceFailed& program : programs_that_once_failed()) {
    SCOPED_TRACE(program.name);
    for (const ToyCode& code : with_and_without_spurious(program.code)) expect_same(code, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Stateful, testing::Values(Family::a, Family::b, Family::c, Family::d),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace thrum
