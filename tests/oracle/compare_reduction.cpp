// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/compare_reduction.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/team.hpp"
#include "oracle/toy_program.hpp"
#include "search/reduction/best_first_dpor.hpp"
#include "search/reduction/bounded_dpor.hpp"
#include "search/reduction/race_flip.hpp"

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

// Whether a failure ended it though threads could go on.
bool is_cut_off(const Trace& trace) {
  return trace.end == End::bug && trace.failure.kind != BugKind::deadlock;
}

// That a search may run. Race flipping breaks none off and runs none twice. With bounds a search begins anew
// each time.
std::uint64_t most_executions(const Findings& findings, Reduction algorithm, Searched how) {
  const std::uint64_t all = findings.executions.size();
  if (algorithm == Reduction::race_flip && how != Searched::shared) return all;
  return (algorithm == Reduction::bounded ? 20 : 2) * all + 10;
}

// Whether no thread could go on.
bool is_maximal(const Trace& trace) {
  return trace.end == End::finished || (trace.end == End::bug && trace.failure.kind == BugKind::deadlock);
}

}  // namespace

std::unique_ptr<Dpor> make_reduction(Reduction reduction) {
  switch (reduction) {
    case Reduction::persistent: return std::make_unique<Dpor>(Dpor::Algorithm::persistent);
    case Reduction::source: return std::make_unique<Dpor>(Dpor::Algorithm::source);
    case Reduction::optimal: return std::make_unique<Dpor>(Dpor::Algorithm::optimal);
    case Reduction::bounded: return std::make_unique<BoundedDpor>();
    case Reduction::race_flip: break;
  }
  return std::make_unique<RaceFlip>();
}

bool chooses(const ToyCode& code) {
  return std::any_of(code.threads.begin(), code.threads.end(), [](const auto& thread) {
    return std::any_of(thread.begin(), thread.end(),
                       [](const Instruction& instruction) { return instruction.opcode == Opcode::choose; });
  });
}

bool is_behind_join(const Trace& trace) {
  if (!is_cut_off(trace)) return false;
  auto last = std::find_if(trace.events.rbegin(), trace.events.rend(),
                           [](const Event& event) { return is_visible(event.operation); });
  return last != trace.events.rend() && last->thread != trace.failure.thread;
}

std::string compare_reduction(const ToyCode& code, const Findings& findings, Reduction algorithm,
                              ReductionCount& count, Searched how, std::uint64_t seed) {
  ToyProgram program(code);
  std::unique_ptr<Dpor> whole = make_reduction(algorithm);
  if (how == Searched::thrifty || (how == Searched::shared && seed % 2 == 0)) whole->trees().share_above(0);
  Team team(std::move(whole), how == Searched::shared ? std::optional<std::uint64_t>(seed) : std::nullopt);
  Plan plan;
  Trace trace;
  Shown shown;
  program.record_local_states(&shown.local_states);
  if (how == Searched::attempted) program.begin_again();
  std::string twice;
  bool cut_off = false;
  std::uint64_t redundant = 0;
  std::uint64_t blocked = 0;
  std::uint64_t executions = 0;
  std::uint64_t maximal = 0;
  const std::uint64_t executions_max = most_executions(findings, algorithm, how);
  while (Team::Worker* worker = team.next(plan)) {
    std::unique_ptr<Strategy>& search = worker->search;
    program.run(plan, search->advisor(), search->wanted(), trace);
    ++executions;
    blocked += trace.end == End::stopped ? 1 : 0;
    if (executions > executions_max) return "more executions than there are";
    if (trace.end != End::stopped) {
      std::string wrong = compare_execution(program, trace, findings, Base::nonpreemptive);
      if (!wrong.empty()) return wrong;
    }
    search->learn(plan, trace);
    if (how == Searched::in_parts && executions % 3 == 0) {
      auto other = make_reduction(algorithm);
      if (!take_up(*search, *other, program.names())) return "cannot be taken up";
      search = std::move(other);
    }
    worker->take_down(trace);
    if (trace.end == End::bug) shown.bugs.insert(bug_of(trace.failure));
    cut_off = cut_off || is_cut_off(trace);
    shown.fails_behind_join = shown.fails_behind_join || is_behind_join(trace);
    if (!is_maximal(trace)) continue;
    ++maximal;
    shown.states.insert(print(program.final_state()));
    if (!shown.classes.insert(worker->class_of_last()).second) {
      ++redundant;
      if (twice.empty()) twice = program.schedule();
    }
  }
  count.executions += executions;
  count.classes += shown.classes.size();
  count.redundant += redundant;
  const auto& search = dynamic_cast<const Dpor&>(team.search());
  count.blocked += blocked;
  count.parts += team.parts();
  if (std::string missing = missing_of_all(findings, shown); !missing.empty()) return missing;
  if (!search.guarantee().complete) return "does not claim to be complete";
  if (search.is_lost()) return "a plan could not be followed";
  if (search.has_run_none_twice()) {
    ++count.sure;
    if (maximal != shown.classes.size()) return "a class twice, though it is told that there is none";
  }
  if (algorithm == Reduction::race_flip && blocked != 0) return "an execution was broken off";
  const bool may_repeat = has_chances(code) || shown.fails_behind_join ||
                          how == Searched::shared;  // workers who share a search may run a class twice
  if (algorithm != Reduction::optimal || may_repeat) return "";
  if (redundant != 0) return "a class twice (schedule " + twice + ")";
  // What would have come behind a failure is not known, and so not all that is asleep there.
  if (!cut_off && blocked != 0) return std::to_string(blocked) + " executions in vain";
  return "";
}

namespace {

// Of the best-first search.
const std::vector<std::string> kPriorities = {"mdpor", "db"};

// What a search shows, and how many executions it runs; nothing where those are more than that.
std::optional<Shown> shown_by(const ToyCode& code, std::unique_ptr<Strategy> search,
                              std::uint64_t executions_max, ReductionCount& count,
                              std::optional<std::uint64_t> shared_by = {}) {
  ToyProgram program(code);
  Team team(std::move(search), shared_by);
  Shown shown;
  program.record_local_states(&shown.local_states);
  Plan plan;
  Trace trace;
  std::uint64_t executions = 0;
  while (Team::Worker* worker = team.next(plan)) {
    program.run(plan, worker->search->advisor(), worker->search->wanted(), trace);
    if (++executions > executions_max) return {};
    count.blocked += trace.end == End::stopped ? 1 : 0;
    worker->search->learn(plan, trace);
    worker->take_down(trace);
    if (trace.end == End::bug) shown.bugs.insert(bug_of(trace.failure));
    shown.fails_behind_join = shown.fails_behind_join || is_behind_join(trace);
    if (!is_maximal(trace)) continue;
    shown.states.insert(print(program.final_state()));
    if (!shown.classes.insert(worker->class_of_last()).second) ++count.redundant;
  }
  const auto* const dpor = dynamic_cast<const Dpor*>(&team.search());
  shown.is_lost = dpor != nullptr && dpor->is_lost();
  count.executions += executions;
  count.classes += shown.classes.size();
  count.parts += team.parts();
  return shown;
}

// The first difference; empty: none.
std::string difference(const Shown& a, const Shown& b) {
  if (a.is_lost || b.is_lost) return "a plan could not be followed";
  if (a.bugs != b.bugs) return "other bugs";
  if (a.states != b.states) return "other final states";
  if (a.local_states != b.local_states) return "other local states";
  if (a.classes == b.classes) return "";
  return std::to_string(a.classes.size()) + " classes and " + std::to_string(b.classes.size());
}

}  // namespace

std::optional<std::string> compare_with_each_other(const ToyCode& code, const Sizes& sizes,
                                                   ReductionCount& alone, ReductionCount& shared) {
  using Algorithm = Dpor::Algorithm;
  ReductionCount optimal;
  auto an_optimal_one = [] { return std::make_unique<Dpor>(Algorithm::optimal); };
  const std::optional<Shown> expected = shown_by(code, an_optimal_one(), sizes.most, optimal);
  if (!expected || optimal.executions < sizes.least) return {};
  alone += optimal;
  if (optimal.redundant != 0 && !has_chances(code) && !expected->fails_behind_join)
    return std::to_string(optimal.redundant) + " classes twice";
  const std::uint64_t most = 50 * optimal.executions + 1'000;
  const std::uint64_t most_flipped = 5 * optimal.executions + 1'000;
  std::map<std::string, std::unique_ptr<Strategy>> others;
  others["source"] = std::make_unique<Dpor>(Algorithm::source);
  others["persistent"] = std::make_unique<Dpor>(Algorithm::persistent);
  others["race-flip"] = std::make_unique<RaceFlip>();
  others["best-first"] =
      std::make_unique<BestFirstDpor>(BestFirstDpor::Settings{*PriorityList::make(kPriorities)});
  for (auto& [name, search] : others) {
    ReductionCount ignored;
    const bool may_be_long = name == "race-flip";
    const std::optional<Shown> shown =
        shown_by(code, std::move(search), may_be_long ? most_flipped : most, ignored);
    if (!shown && may_be_long) continue;
    if (!shown) return name + ": too many executions";
    if (std::string wrong = difference(*expected, *shown); !wrong.empty())
      return "optimal and " + name + ": " + wrong;
  }
  for (std::uint64_t seed = 1; seed <= sizes.ways_to_share; ++seed) {
    ReductionCount of_this;
    const std::optional<Shown> shown = shown_by(code, an_optimal_one(), most, of_this, seed);
    shared += of_this;
    const std::string how = "shared by seed " + std::to_string(seed) + ": ";
    if (!shown) return how + "too many executions";
    if (std::string wrong = difference(*expected, *shown); !wrong.empty()) return how + wrong;
  }
  return "";
}

namespace {

// How many executions cost no more, and cost no more than each bound below that.
std::uint64_t plain_executions(const Findings& findings, std::uint32_t bound) {
  std::uint64_t count = 0;
  for (const auto& [cost, executions] : findings.by_preemptions) {
    if (static_cast<std::uint32_t>(cost) <= bound)
      count += executions * (bound - static_cast<std::uint32_t>(cost) + 1);
  }
  return count;
}

std::string compare_at_bound(const ToyCode& code, const Findings& findings, std::uint32_t bound,
                             BoundedCount& count) {
  ToyProgram program(code);
  BoundedDpor strategy(bound);
  std::set<std::string> states;
  program.record_local_states(&states);
  Plan plan;
  Trace trace;
  std::set<ToyBug> bugs;
  while (strategy.next(plan)) {
    program.run(plan, strategy.advisor(), strategy.wanted(), trace);
    ++count.executions;
    std::string wrong = compare_execution(program, trace, findings, Base::nonpreemptive);
    if (!wrong.empty()) return wrong;
    if (trace.cost > bound) return "an execution that costs " + std::to_string(trace.cost);
    strategy.learn(plan, trace);
    if (trace.end == End::bug) bugs.insert(bug_of(trace.failure));
  }
  count.plain += plain_executions(findings, bound);
  // Where nothing was left out for its cost, the classes are all there.
  Guarantee guarantee = strategy.guarantee();
  auto is_due = [&](int preemptions) {
    return guarantee.complete || static_cast<std::uint32_t>(preemptions) <= bound;
  };
  for (const auto& [state, preemptions] : findings.local_states) {
    if (is_due(preemptions) && !states.contains(state)) return "missed the local state " + state;
  }
  for (const auto& [bug, preemptions] : findings.bugs) {
    if (!is_due(preemptions)) continue;
    bool is_missed = !bugs.contains(bug);
    if (bug.kind == BugKind::deadlock) ++count.deadlocks;
    if (is_missed && (bug.kind != BugKind::deadlock || guarantee.complete)) return "missed: " + name_of(bug);
    if (is_missed) ++count.deadlocks_missed;
  }
  bool claims = guarantee.exhausted && guarantee.bounds.size() == 1 && guarantee.bounds[0].completed &&
                (guarantee.complete || guarantee.bounds[0].completed == bound) &&
                guarantee.bounds[0].covers == Covers::local_states;
  return claims ? "" : "claims something else";
}

}  // namespace

std::string compare_bounded(const ToyCode& code, const Findings& findings, BoundedCount& count) {
  for (std::uint32_t bound : {0u, 1u, 2u}) {
    std::string wrong = compare_at_bound(code, findings, bound, count);
    if (!wrong.empty()) return "bound " + std::to_string(bound) + ": " + wrong;
  }
  return "";
}

namespace {

std::string compare_auto_within(const ToyCode& code, const Findings& findings,
                                std::optional<std::uint32_t> limit) {
  ToyProgram program(code);
  StrategySettings settings;
  settings.limit = limit;
  std::unique_ptr<Strategy> strategy = make_strategy("auto", settings);
  Plan plan;
  Trace trace;
  std::set<std::string> states;
  std::set<ToyBug> bugs;
  std::uint64_t executions = 0;
  while (strategy->next(plan)) {
    program.run(plan, strategy->advisor(), strategy->wanted(), trace);
    strategy->learn(plan, trace);
    if (++executions % 40 == 0) {
      std::unique_ptr<Strategy> other = make_strategy("auto", settings);
      if (!take_up(*strategy, *other, program.names())) return "cannot be taken up";
      strategy = std::move(other);
    }
    if (trace.end == End::stopped) continue;
    std::string wrong = compare_execution(program, trace, findings, plan.policy.base);
    if (!wrong.empty()) return wrong;
    if (limit && trace.cost > *limit) return "an execution that costs " + std::to_string(trace.cost);
    if (trace.end == End::bug) bugs.insert(bug_of(trace.failure));
    if (trace.end == End::finished || trace.failure.kind == BugKind::deadlock)
      states.insert(print(program.final_state()));
  }
  for (const auto& [schedule, ending] : findings.executions) {
    if (limit && ending.preemptions > static_cast<int>(*limit)) continue;
    if (ending.has_bug && !bugs.contains(ending.bug)) return "missed: " + name_of(ending.bug);
    bool has_state = !ending.has_bug || ending.bug.kind == BugKind::deadlock;
    if (has_state && !states.contains(print(ending.state))) return "missed the state " + print(ending.state);
  }
  Guarantee guarantee = strategy->guarantee();
  bool all_within = !limit || findings.by_preemptions.rbegin()->first <= static_cast<int>(*limit);
  if (!guarantee.exhausted) return "does not claim to be exhausted";
  if (guarantee.complete != all_within)
    return all_within ? "does not claim to be complete" : "claims too much";
  return "";
}

}  // namespace

std::string compare_auto(const ToyCode& code, const Findings& findings) {
  for (std::optional<std::uint32_t> limit : {std::optional<std::uint32_t>(), {0}, {1}}) {
    std::string wrong = compare_auto_within(code, findings, limit);
    if (!wrong.empty()) return (limit ? "bound " + std::to_string(*limit) + ": " : "auto: ") + wrong;
  }
  return "";
}

}  // namespace thrum
