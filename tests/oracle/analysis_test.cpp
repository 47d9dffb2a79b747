// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the priorities dpor, mdpor and ss prefer, taken for all there is to run: then they are reductions,
// which must still find each final state and each bug of the oracle, and run less. So their analysis
// (search/systematic/trace_analysis.hpp) is right, and does prefer something.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "oracle/oracle.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"
#include "search/systematic/trace_analysis.hpp"

namespace thrum {
namespace {

// What a reduced search came to.
struct Reached {
  std::set<std::string> states;
  std::set<std::pair<BugKind, std::uint64_t>> bugs;
  std::size_t executions = 0;

  void add(const ToyProgram& program, const Trace& trace) {
    ++executions;
    bool deadlock = trace.end == End::bug && trace.failure.kind == BugKind::deadlock;
    if (trace.end != End::bug || deadlock) states.insert(print(program.final_state()));
    if (trace.end == End::bug) bugs.insert({trace.failure.kind, deadlock ? 0 : trace.failure.code});
  }
};

// The plan that goes as the trace does up to the choice, and takes that option there.
Plan plan_to(const Trace& trace, std::size_t choice, std::uint16_t option) {
  Plan plan;
  for (std::size_t i = 0; i <= choice; ++i) {
    const ChoicePoint& point = trace.choices[i];
    std::span<const Option> options = trace.options_of(point);
    std::uint16_t taken = i == choice ? option : point.taken;
    bool departs = taken != default_option(point, options, Base::nonpreemptive);
    if (departs || i == choice) plan.departures.push_back({point.key, options[taken]});
  }
  return plan;
}

// Dynamic partial-order reduction without sleep sets (Flanagan and Godefroid, Figure 3): what an execution
// asks for, at any of its choices, is run, unless that was done already.
Reached run_reversals(const ToyCode& code) {
  ToyProgram program(code);
  Reached reached;
  Trace trace;
  TraceAnalysis analysis;
  std::vector<Plan> waiting = {{}};
  std::set<std::string> known;
  auto schedule_before = [&](std::uint32_t events) {
    std::string text;
    for (std::uint32_t i = 0; i < events; ++i) {
      const Event& event = trace.events[i];
      text += std::to_string(event.thread) + ':' + std::to_string(static_cast<int>(event.operation)) + ' ';
    }
    return text;
  };
  auto name_of = [](const Option& option) {
    return "to " + std::to_string(option.value) + '/' + std::to_string(static_cast<int>(option.via));
  };
  // Values and waiters chosen are told apart by who chose what before.
  auto chosen_before = [&](std::size_t choice) {
    std::string text;
    for (std::size_t i = 0; i < choice; ++i) {
      const ChoicePoint& point = trace.choices[i];
      if (point.key.kind != ChoiceKind::thread)
        text += '=' + std::to_string(trace.options_of(point)[point.taken].value);
    }
    return text;
  };
  while (!waiting.empty()) {
    Plan plan = waiting.back();
    waiting.pop_back();
    program.run(plan, nullptr, Wanted::all_events(), trace);
    reached.add(program, trace);
    plan.departures.clear();  // so that all of the execution counts as new
    analysis.begin(plan, trace);
    for (std::size_t choice = 0; choice < trace.choices.size(); ++choice) {
      const ChoicePoint& point = trace.choices[choice];
      std::string before = schedule_before(analysis.position(choice)) +
                           std::to_string(static_cast<int>(point.key.kind)) + chosen_before(choice);
      known.insert(before + name_of(trace.options_of(point)[point.taken]));
    }
    for (std::size_t choice = 0; choice < trace.choices.size(); ++choice) {
      const ChoicePoint& point = trace.choices[choice];
      std::string before = schedule_before(analysis.position(choice)) +
                           std::to_string(static_cast<int>(point.key.kind)) + chosen_before(choice);
      for (std::uint16_t option = 0; option < point.options_count; ++option) {
        if (analysis.reversal(choice, option) == TraceAnalysis::Reversal::none) continue;
        if (known.insert(before + name_of(trace.options_of(point)[option])).second)
          waiting.push_back(plan_to(trace, choice, option));
      }
    }
  }
  return reached;
}

// Everything but what sleeps.
Reached run_sleep_sets(const ToyCode& code) {
  ToyProgram program(code);
  Reached reached;
  Trace trace;
  TraceAnalysis analysis;
  std::vector<Plan> waiting = {{}};
  while (!waiting.empty()) {
    Plan plan = waiting.back();
    waiting.pop_back();
    program.run(plan, nullptr, Wanted::all_events(), trace);
    reached.add(program, trace);
    analysis.begin(plan, trace);
    for (std::size_t choice = analysis.first_new(); choice < trace.choices.size(); ++choice) {
      const ChoicePoint& point = trace.choices[choice];
      for (std::uint16_t option = 0; option < point.options_count; ++option) {
        if (option == point.taken || analysis.sleeps(choice, option)) continue;
        Plan& child = waiting.emplace_back(plan);
        child.departures.push_back({point.key, trace.options_of(point)[option]});
      }
    }
  }
  return reached;
}

std::string compare(const Reached& reached, const Findings& findings) {
  if (reached.states != findings.final_states()) return "other final states";
  std::set<std::pair<BugKind, std::uint64_t>> bugs;
  for (const auto& [bug, preemptions] : findings.bugs)
    bugs.insert({bug.kind, bug.kind == BugKind::deadlock ? 0 : bug.place});
  if (reached.bugs != bugs) return "other bugs";
  return reached.executions > findings.executions.size() ? "more executions than there are" : "";
}

// Where an operation changes nothing in one execution, it is not known from there what it conflicts with in
// another.
bool may_come_to_nothing(const ToyCode& code) {
  return std::any_of(code.threads.begin(), code.threads.end(), [](const auto& thread) {
    return std::any_of(thread.begin(), thread.end(), [](const Instruction& instruction) {
      return instruction.opcode == Opcode::cas || instruction.opcode == Opcode::try_lock;
    });
  });
}

const std::uint64_t kPrograms = by_default(300);
constexpr std::size_t kExecutionsMax = 3'000;

TEST(TraceAnalysis, ReversalsSuffice) {
  std::size_t all = 0;
  std::size_t run = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    RandomProgram program = random_program(seed, Family::a, kExecutionsMax);
    // What the other threads would have done when an assertion failed is not seen.
    if (program.findings.stopped || may_come_to_nothing(program.code)) continue;
    Reached reached = run_reversals(program.code);
    if (std::string wrong = compare(reached, program.findings); !wrong.empty()) {
      auto fails = [](const ToyCode& code) { return !compare(run_reversals(code), enumerate(code)).empty(); };
      FAIL() << "seed " << seed << ": " << wrong << "\n" << print(shrink(program.code, fails));
    }
    all += program.findings.executions.size();
    run += reached.executions;
  }
  EXPECT_LT(run, all / 2) << "nothing much is reduced";
  std::cout << run << " of " << all << " executions\n";
}

TEST(TraceAnalysis, WhatSleepsIsNotNeeded) {
  std::size_t all = 0;
  std::size_t run = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    RandomProgram program = random_program(seed, Family::a, kExecutionsMax);
    if (program.findings.stopped || may_come_to_nothing(program.code)) continue;
    Reached reached = run_sleep_sets(program.code);
    ASSERT_EQ(compare(reached, program.findings), "") << "seed " << seed << "\n" << print(program.code);
    all += program.findings.executions.size();
    run += reached.executions;
  }
  EXPECT_LT(run, all / 2) << "nothing much is reduced";
  std::cout << run << " of " << all << " executions\n";
}

}  // namespace
}  // namespace thrum
