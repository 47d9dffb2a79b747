// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/compare_reduction.hpp"

#include <algorithm>
#include <unordered_set>

#include "oracle/compare.hpp"
#include "oracle/toy_program.hpp"

namespace thrum {

namespace {

// Timeouts and wake-ups for no reason may depend on whether anybody else can go on, which is no matter of
// classes.
bool has_chances(const ToyCode& code) {
  for (const auto& thread : code.threads) {
    for (const Instruction& instruction : thread) {
      if (instruction.opcode == Opcode::timed_wait) return true;
      if (instruction.opcode == Opcode::wait && code.spurious) return true;
    }
  }
  return false;
}

// Whether another thread did the last step than the one that failed, which had waited for its end.
bool is_behind_join(const Trace& trace) {
  if (trace.end != End::bug || trace.failure.kind == BugKind::deadlock) return false;
  auto last = std::find_if(trace.events.rbegin(), trace.events.rend(),
                           [](const Event& event) { return is_visible(event.operation); });
  return last != trace.events.rend() && last->thread != trace.failure.thread;
}

// All before the step of that number.
void keep_steps(std::vector<Event>& events, PartialOrder::Index steps) {
  auto end = events.begin();
  while (end != events.end() && (!is_visible(end->operation) || steps-- > 0)) ++end;
  events.erase(end, events.end());
}

std::string first_missing(const std::set<std::string>& expected, const std::set<std::string>& seen) {
  for (const std::string& element : expected) {
    if (!seen.contains(element)) return element;
  }
  return "";
}

}  // namespace

std::string compare_reduction(const ToyCode& code, const Findings& findings, Dpor::Algorithm algorithm,
                              ReductionCount& count) {
  ToyProgram program(code);
  Dpor strategy(algorithm);
  Plan plan;
  Trace trace;
  std::unordered_set<std::uint64_t> classes;
  std::set<std::string> states;
  std::set<ToyBug> bugs;
  std::vector<Event> events;  // of the last execution
  std::string twice;
  bool fails_behind_join = false;
  std::uint64_t redundant = 0;
  std::uint64_t executions = 0;
  while (strategy.next(plan)) {
    program.run(plan, &strategy, strategy.recording(), trace);
    ++executions;
    if (executions > 2 * findings.executions.size() + 10) return "more executions than there are";
    if (trace.end != End::stopped) {
      std::string wrong = compare_execution(program, trace, findings, Base::nonpreemptive);
      if (!wrong.empty()) return wrong;
    }
    strategy.learn(plan, trace);
    keep_steps(events, strategy.kept());
    events.insert(events.end(), trace.events.begin() + trace.branch, trace.events.end());
    if (trace.end == End::bug) bugs.insert(bug_of(trace.failure));
    fails_behind_join = fails_behind_join || is_behind_join(trace);
    bool is_maximal =
        trace.end == End::finished || (trace.end == End::bug && trace.failure.kind == BugKind::deadlock);
    if (!is_maximal) continue;
    states.insert(print(program.final_state()));
    PartialOrder order;
    for (const Event& event : events) order.append(event);
    if (!classes.insert(order.fingerprint()).second) {
      ++redundant;
      if (twice.empty()) twice = program.schedule();
    }
  }
  count.executions += executions;
  count.classes += classes.size();
  count.redundant += redundant;
  count.blocked += strategy.blocked();
  for (const auto& [bug, preemptions] : findings.bugs) {
    if (!bugs.contains(bug)) return "missed: " + name_of(bug);
  }
  std::string missing = first_missing(findings.final_states(), states);
  if (!missing.empty()) return "missed the state " + missing;
  if (classes.size() != findings.classes.size()) {
    return std::to_string(classes.size()) + " classes instead of " + std::to_string(findings.classes.size());
  }
  if (!strategy.guarantee().complete) return "does not claim to be complete";
  if (algorithm != Dpor::Algorithm::optimal || has_chances(code) || fails_behind_join) return "";
  if (redundant != 0) return "a class twice (schedule " + twice + ")";
  if (strategy.blocked() != 0) return std::to_string(strategy.blocked()) + " executions in vain";
  return "";
}

}  // namespace thrum
