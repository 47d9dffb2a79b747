// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/compare_reduction.hpp"

#include <algorithm>
#include <unordered_set>

#include "oracle/compare.hpp"
#include "oracle/toy_program.hpp"
#include "search/strategies.hpp"
#include "support/random.hpp"

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

// Whether another thread did the last step than the one that failed, which had waited for its end.
bool is_behind_join(const Trace& trace) {
  if (!is_cut_off(trace)) return false;
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

// Workers who take turns in a search, or one that does it alone.
class Team {
 public:
  struct Worker {
    std::unique_ptr<Dpor> search;
    Worker* from = nullptr;     // whose part it is
    std::vector<Event> events;  // of its last execution
    bool waits = false;
  };

  Team(std::unique_ptr<Dpor> search, bool shares, std::uint64_t seed) : shares_(shares), random_(seed) {
    workers_.push_back(std::make_unique<Worker>());
    workers_[0]->search = std::move(search);
  }

  // The worker whose turn it is, with its plan; nullptr: the search is done.
  Worker* next(Plan& plan);
  const Dpor& search() const { return *workers_[0]->search; }
  std::uint64_t parts() const { return parts_; }

 private:
  void share(Worker& worker);

  bool shares_;
  Random random_;
  std::uint64_t parts_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;  // the first has the whole
};

Team::Worker* Team::next(Plan& plan) {
  while (true) {
    const std::size_t turn = random_.below(workers_.size());
    Worker& worker = *workers_[turn];
    if (worker.waits) continue;
    if (shares_ && random_.below(3) == 0) share(worker);
    if (worker.search->next(plan)) return &worker;
    worker.waits = worker.search->waits();
    if (worker.waits) continue;
    if (turn == 0) return nullptr;
    worker.from->search->merge(*worker.search);
    worker.from->waits = false;
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(turn));
  }
}

void Team::share(Worker& worker) {
  std::unique_ptr<Strategy> part = worker.search->split();
  if (part == nullptr) return;
  ++parts_;
  auto other = std::make_unique<Worker>();
  other->search.reset(dynamic_cast<Dpor*>(part.release()));
  other->from = &worker;
  other->events = worker.events;
  workers_.push_back(std::move(other));
}

}  // namespace

std::string compare_reduction(const ToyCode& code, const Findings& findings, Dpor::Algorithm algorithm,
                              ReductionCount& count, Searched how, std::uint64_t seed) {
  ToyProgram program(code);
  Team team(std::make_unique<Dpor>(algorithm), how == Searched::shared, seed);
  Plan plan;
  Trace trace;
  Shown shown;
  program.record_local_states(&shown.local_states);
  std::string twice;
  bool cut_off = false;
  bool fails_behind_join = false;
  std::uint64_t redundant = 0;
  std::uint64_t executions = 0;
  while (Team::Worker* worker = team.next(plan)) {
    std::unique_ptr<Dpor>& search = worker->search;
    program.run(plan, search.get(), search->recording(), trace);
    ++executions;
    // With bounds it begins anew each time.
    const std::uint64_t times = algorithm == Dpor::Algorithm::bounded ? 20 : 2;
    if (executions > times * findings.executions.size() + 10) return "more executions than there are";
    if (trace.end != End::stopped) {
      std::string wrong = compare_execution(program, trace, findings, Base::nonpreemptive);
      if (!wrong.empty()) return wrong;
    }
    search->learn(plan, trace);
    if (how == Searched::in_parts && executions % 3 == 0) {
      auto other = std::make_unique<Dpor>(algorithm);
      if (!take_up(*search, *other, program.names())) return "cannot be taken up";
      search = std::move(other);
    }
    std::vector<Event>& events = worker->events;
    keep_steps(events, search->kept());
    events.insert(events.end(), trace.events.begin() + trace.branch, trace.events.end());
    if (trace.end == End::bug) shown.bugs.insert(bug_of(trace.failure));
    cut_off = cut_off || is_cut_off(trace);
    fails_behind_join = fails_behind_join || is_behind_join(trace);
    bool is_maximal =
        trace.end == End::finished || (trace.end == End::bug && trace.failure.kind == BugKind::deadlock);
    if (!is_maximal) continue;
    shown.states.insert(print(program.final_state()));
    PartialOrder order;
    for (const Event& event : events) order.append(event);
    if (!shown.classes.insert(order.fingerprint()).second) {
      ++redundant;
      if (twice.empty()) twice = program.schedule();
    }
  }
  count.executions += executions;
  count.classes += shown.classes.size();
  count.redundant += redundant;
  const Dpor& search = team.search();
  count.blocked += search.blocked();
  count.parts += team.parts();
  if (std::string missing = missing_of_all(findings, shown); !missing.empty()) return missing;
  if (!search.guarantee().complete) return "does not claim to be complete";
  const bool may_repeat = how == Searched::shared || has_chances(code) || fails_behind_join;
  if (algorithm != Dpor::Algorithm::optimal || may_repeat) return "";
  if (redundant != 0) return "a class twice (schedule " + twice + ")";
  // What would have come behind a failure is not known, and so not all that is asleep there.
  if (!cut_off && search.blocked() != 0) return std::to_string(search.blocked()) + " executions in vain";
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
  Dpor strategy(Dpor::Algorithm::bounded, bound);
  std::set<std::string> states;
  program.record_local_states(&states);
  Plan plan;
  Trace trace;
  std::set<ToyBug> bugs;
  while (strategy.next(plan)) {
    program.run(plan, &strategy, strategy.recording(), trace);
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
    program.run(plan, strategy->online() ? strategy.get() : nullptr, strategy->recording(), trace);
    strategy->learn(plan, trace);
    if (++executions % 40 == 0) {
      std::unique_ptr<Strategy> other = make_strategy("auto", settings);
      if (!take_up(*strategy, *other, program.names())) return "cannot be taken up";
      strategy = std::move(other);
    }
    if (trace.end == End::stopped) continue;
    std::string wrong = compare_execution(program, trace, findings, Base::nonpreemptive);
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
