// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/compare.hpp"

#include <memory>
#include <unordered_set>

#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "search/frontier/memory_file.hpp"
#include "search/systematic/priorities.hpp"

namespace thrum {

namespace {

std::string at_schedule(const std::string& schedule) { return " (schedule " + schedule + ")"; }

// How many of the oracle's executions lie within the limit.
std::size_t count_within(const Findings& findings, const Promise& promise) {
  std::size_t count = 0;
  for (const auto& [cost, executions] :
       promise.base == Base::round_robin ? findings.by_delays : findings.by_preemptions) {
    if (!promise.limit || cost <= static_cast<int>(*promise.limit)) count += executions;
  }
  return count;
}

std::string compare_guarantee(const Guarantee& guarantee, bool all_within, const Promise& promise) {
  if (!guarantee.exhausted) return "the search ended, but says that something is left";
  if (guarantee.complete != all_within) return "the search is wrong about being complete";
  if (guarantee.bounds.size() != 1 || guarantee.bounds[0].base != promise.base)
    return "one bound is expected";
  const Bound& bound = guarantee.bounds[0];
  if (bound.limit != promise.limit || !bound.completed) return "the bound is not the one asked for";
  if (promise.limit && *bound.completed != *promise.limit) return "the limit was not completed";
  return "";
}

std::string wrong_number(std::size_t seen, std::size_t expected) {
  return std::to_string(seen) + " executions instead of " + std::to_string(expected);
}

std::string compare_bug(const FoundBug& bug, const Findings& findings, ToyProgram& program) {
  auto known = findings.bugs.find(bug_of(bug.failure));
  if (known == findings.bugs.end()) return "a bug that is none: " + name_of(bug_of(bug.failure));
  std::string name = name_of(known->first);
  if (static_cast<int>(bug.preemptions) != known->second) return name + ": not the fewest preemptions";
  if (!bug.minimal) return name + ": not known to be minimal";
  Trace trace;
  Plan plan = bug.plan;
  if (auto divergence = find_divergence(program, plan, trace))
    return name + ": not confirmed: " + describe(*divergence, program.names());
  if (trace.end != End::bug || bug_of(trace.failure) != known->first)
    return name + ": its plan shows something else";
  if (plan != bug.plan) return name + ": its plan is not in terms of the base";
  if (first_difference(trace, bug.trace)) return name + ": its plan gives another trace";
  return "";
}

}  // namespace

Limits no_limits() {
  Limits limits;
  limits.keep_going = true;
  limits.out_of_time = [] { return false; };
  limits.announce = [](const Plan&) {};
  limits.now = [] { return 0.0; };
  return limits;
}

ToyBug bug_of(const Failure& failure) {
  ToyBug bug{failure.kind, failure.code, {}};
  for (const Waiter& waiter : failure.waiters) {
    if (waiter.operation != Operation::thread_join) bug.waits.insert(waiter.code);
  }
  return bug;
}

std::string name_of(const ToyBug& bug) {
  std::string text = std::string(bug_kind_name(bug.kind)) + " at " + std::to_string(bug.place);
  for (std::uint64_t place : bug.waits) text += ' ' + std::to_string(place);
  return text;
}

int cost(const Ending& ending, Base base) {
  return base == Base::round_robin ? ending.delays : ending.preemptions;
}

bool take_up(Strategy& strategy, Strategy& other, ThreadNames& names) {
  ByteWriter out;
  strategy.durable()->save(out, names);
  ByteReader in(out.bytes());
  return other.durable()->load(in, names) && in.at_end();
}

std::string missing_local_state(const Findings& findings, const std::set<std::string>& seen) {
  for (const auto& [state, preemptions] : findings.local_states) {
    if (!seen.contains(state)) return "missed the local state " + state;
  }
  return "";
}

std::string missing_of_all(const Findings& findings, const Shown& shown) {
  for (const auto& [bug, preemptions] : findings.bugs) {
    if (!shown.bugs.contains(bug)) return "missed: " + name_of(bug);
  }
  for (const std::string& state : findings.final_states()) {
    if (!shown.states.contains(state)) return "missed the state " + state;
  }
  if (std::string missing = missing_local_state(findings, shown.local_states); !missing.empty())
    return missing;
  if (shown.classes.size() == findings.classes.size()) return "";
  return std::to_string(shown.classes.size()) + " classes instead of " +
         std::to_string(findings.classes.size());
}

std::string compare_execution(const ToyProgram& program, const Trace& trace, const Findings& findings,
                              Base base) {
  std::string where = at_schedule(program.schedule());
  if (trace.end != End::finished && trace.end != End::bug) return "an execution was cut" + where;
  auto found = findings.executions.find(program.schedule());
  if (found == findings.executions.end()) return "an execution that there is not" + where;
  const Ending& ending = found->second;
  if (static_cast<int>(trace.cost) != cost(ending, base)) {
    return "cost " + std::to_string(trace.cost) + " instead of " + std::to_string(cost(ending, base)) + where;
  }
  if ((trace.end == End::bug) != ending.has_bug) return "a bug too many or too few" + where;
  if (ending.has_bug && bug_of(trace.failure) != ending.bug) {
    return name_of(bug_of(trace.failure)) + " instead of " + name_of(ending.bug) + where;
  }
  bool is_maximal = !ending.has_bug || ending.bug.kind == BugKind::deadlock;
  if (!is_maximal || program.final_state() == ending.state) return "";
  return "final state " + print(program.final_state()) + " instead of " + print(ending.state) + where;
}

std::string compare_search(const ToyCode& code, const Findings& findings, Strategy& strategy,
                           const Promise& promise) {
  ToyProgram program(code);
  Plan plan;
  Trace trace;
  std::unordered_set<std::string> seen;
  std::uint32_t last_cost = 0;
  while (strategy.next(plan)) {
    program.run(plan, strategy.advisor(), strategy.wanted(), trace);
    std::string wrong = compare_execution(program, trace, findings, promise.base);
    if (!wrong.empty()) return wrong;
    std::string where = at_schedule(program.schedule());
    if (strategy.reporting().repeats()) {
      if (!seen.contains(program.schedule())) return "an execution repeated that never was" + where;
      strategy.learn(plan, trace);
      continue;
    }
    if (!seen.insert(program.schedule()).second) return "the same execution twice" + where;
    if (promise.limit && trace.cost > *promise.limit) return "an execution beyond the limit" + where;
    if (promise.cheapest_first && trace.cost < last_cost)
      return "a cheaper execution behind a dearer" + where;
    last_cost = trace.cost;
    strategy.learn(plan, trace);
  }
  std::size_t expected = count_within(findings, promise);
  if (seen.size() != expected) return wrong_number(seen.size(), expected);
  return compare_guarantee(strategy.guarantee(), expected == findings.executions.size(), promise);
}

std::string compare_systematic(const ToyCode& code, const Findings& findings) {
  constexpr std::optional<std::uint32_t> kLimits[] = {std::nullopt, 0, 1, 2};
  constexpr std::pair<const char*, std::size_t> kSearches[] = {
      {"icb", 1'000'000}, {"icb", 0}, {"icb", 5}, {"dfs", 0}};
  for (Base base : {Base::nonpreemptive, Base::round_robin}) {
    for (std::optional<std::uint32_t> limit : kLimits) {
      for (auto [name, fringe_max] : kSearches) {
        std::unique_ptr<Strategy> strategy = make_strategy(name, {base, limit, 0, fringe_max});
        Promise promise{base, limit, std::string_view(name) == "icb"};
        std::string wrong = compare_search(code, findings, *strategy, promise);
        if (wrong.empty()) continue;
        return std::string(name) + ", fringe of " + std::to_string(fringe_max) +
               (base == Base::round_robin ? ", delays" : ", preemptions") + ", limit " +
               (limit ? std::to_string(*limit) : "none") + ": " + wrong;
      }
    }
  }
  return "";
}

std::string compare_explore(const ToyCode& code, const Findings& findings) {
  ToyProgram program(code);
  Limits limits = no_limits();
  limits.executions = findings.executions.size() + 1;  // a search that does not end is wrong, too
  for (const char* name : {"icb", "dfs"}) {
    std::string who = "explore, " + std::string(name) + ": ";
    std::unique_ptr<Strategy> strategy = make_strategy(name, {Base::nonpreemptive, std::nullopt, 0, 3});
    SearchResult result = explore(program, *strategy, limits);
    if (result.end != SearchEnd::exhausted) return who + "not exhausted: " + result.lost_reason;
    if (result.executions != findings.executions.size()) {
      return who + wrong_number(result.executions, findings.executions.size());
    }
    if (result.bugs.size() != findings.bugs.size()) return who + "the set of bugs is another";
    for (const FoundBug& bug : result.bugs) {
      std::string wrong = compare_bug(bug, findings, program);
      if (!wrong.empty()) return who + wrong;
    }
  }
  if (findings.bugs.empty()) return "";

  // Without keep_going: the first bug that icb finds, which no other undercuts.
  limits.keep_going = false;
  std::unique_ptr<Strategy> strategy = make_strategy("icb", {});
  SearchResult result = explore(program, *strategy, limits);
  if (result.end != SearchEnd::bug || result.bugs.size() != 1)
    return "explore: did not stop at the first bug";
  for (const auto& [bug, preemptions] : findings.bugs) {
    if (preemptions < static_cast<int>(result.bugs[0].preemptions))
      return "explore: a simpler bug than the first";
  }
  return compare_bug(result.bugs[0], findings, program);
}

std::string compare_spurious(const Findings& without, const Findings& with) {
  for (const auto& [schedule, ending] : without.executions) {
    auto same = with.executions.find(schedule);
    if (same == with.executions.end()) return "lost by spurious wake-ups" + at_schedule(schedule);
    if (same->second != ending)
      return "spurious wake-ups change an execution without any" + at_schedule(schedule);
  }
  for (const auto& [schedule, ending] : with.executions) {
    bool wakes = schedule.find('~') != std::string::npos;
    if (wakes == without.executions.contains(schedule)) return "unexpected" + at_schedule(schedule);
    if (wakes && ending.preemptions == 0) return "a spurious wake-up at no cost" + at_schedule(schedule);
  }
  for (const auto& [bug, preemptions] : without.bugs) {
    auto same = with.bugs.find(bug);
    if (same == with.bugs.end() || same->second > preemptions)
      return "spurious wake-ups hide " + name_of(bug);
  }
  return "";
}

namespace {

// Several searches that share one program's executions.
class Workers {
 public:
  Workers(const ToyCode& code, const Findings& findings, std::uint64_t seed)
      : code_(code), findings_(findings), random_(seed) {
    settings_.limit = one_in(2) ? std::nullopt : std::optional<std::uint32_t>(random_.below(3));
    settings_.base = one_in(2) ? Base::nonpreemptive : Base::round_robin;
    constexpr const char* kNames[] = {"icb", "dfs", "best-first"};
    name_ = kNames[random_.below(3)];
    if (one_in(3)) settings_.fringe_max = random_.below(8);
    if (name_ == kNames[2]) settings_.priorities = random_priorities();
    if (one_in(3)) {
      settings_.memory_max = random_.below(1000);
      settings_.make_file = MemoryFile::make;
    }
    count_ = 1 + random_.below(3);
    moves_all_ = one_in(2);
    for (std::size_t i = 0; i < count_; ++i) add_worker();
    workers_[0].strategy = make();
  }

  std::string run() {
    for (std::size_t idle = 0; idle < 200 * count_; ++idle) {
      if (one_in(8)) disturb();
      Worker& worker = workers_[random_.below(count_)];
      if (!worker.strategy || !worker.strategy->next(plan_)) continue;
      idle = 0;
      worker.program->run(plan_, worker.strategy->advisor(), worker.strategy->wanted(), trace_);
      std::string wrong = compare_execution(*worker.program, trace_, findings_, settings_.base);
      if (!wrong.empty()) return wrong;
      bool first = seen_.insert(worker.program->schedule()).second;
      if (first == worker.strategy->reporting().repeats())
        return first ? "an execution repeated that never was" : "the same execution twice";
      worker.strategy->learn(plan_, trace_);
    }
    return compare_end();
  }

 private:
  struct Worker {
    std::unique_ptr<ToyProgram> program;
    std::unique_ptr<Strategy> strategy;  // nothing where it has no work
  };

  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::vector<std::string> random_priorities() {
    std::vector<std::string> names;
    for (const PriorityRow& row : priorities()) {
      if (one_in(3)) names.emplace_back(row.name);
    }
    return names;
  }
  std::unique_ptr<Strategy> make() { return make_strategy(name_, settings_); }

  // Its thread ids are others than those of the other workers, for the same names.
  void add_worker() {
    Worker& worker = workers_.emplace_back(std::make_unique<ToyProgram>(code_), nullptr);
    for (int i = 0; i < 3; ++i) {
      ThreadId parent =
          worker.program->names().child(kMainThread, static_cast<std::uint32_t>(1 + random_.below(3)));
      worker.program->names().child(parent, 1);
    }
  }

  // The strategy as another worker would take it up.
  std::unique_ptr<Strategy> move_to(const Worker& from, Strategy& strategy, const Worker& to) {
    ByteWriter out;
    strategy.durable()->save(out, from.program->names());
    std::string bytes = out.take();
    ByteReader in(bytes);
    std::unique_ptr<Strategy> moved = make();
    if (!moved->durable()->load(in, to.program->names()) || !in.at_end()) lost_ = true;
    return moved;
  }

  void disturb() {
    Worker& from = workers_[random_.below(count_)];
    Worker& to = workers_[random_.below(count_)];
    if (!from.strategy) return;
    if (moves_all_ && one_in(3)) {
      from.strategy = move_to(from, *from.strategy, from);
      return;
    }
    // Another worker gets a part of it, or all.
    std::unique_ptr<Strategy> part =
        moves_all_ && one_in(4) ? std::move(from.strategy) : from.strategy->divisible()->split();
    if (!part) return;
    if (&from != &to) part = move_to(from, *part, to);
    if (to.strategy) {
      to.strategy->divisible()->merge(*part);
    } else {
      to.strategy = std::move(part);
    }
  }

  std::string compare_end() {
    if (lost_) return "what was saved could not be loaded";
    Promise promise{settings_.base, settings_.limit, false};
    std::size_t expected = count_within(findings_, promise);
    if (seen_.size() != expected) return wrong_number(seen_.size(), expected);
    std::unique_ptr<Strategy> all;
    for (Worker& worker : workers_) {
      if (!worker.strategy) continue;
      std::unique_ptr<Strategy> part = move_to(worker, *worker.strategy, workers_[0]);
      if (all) {
        all->divisible()->merge(*part);
      } else {
        all = std::move(part);
      }
    }
    return compare_guarantee(all->guarantee(), expected == findings_.executions.size(), promise);
  }

  const ToyCode& code_;
  const Findings& findings_;
  Random random_;
  StrategySettings settings_;
  const char* name_ = "";
  std::size_t count_ = 0;
  bool moves_all_ = false;  // whole searches, too: one that was loaded anew has forgotten what it had wrong
  std::vector<Worker> workers_;
  std::unordered_set<std::string> seen_;
  bool lost_ = false;
  Plan plan_;
  Trace trace_;
};

}  // namespace

std::string compare_workers(const ToyCode& code, const Findings& findings, std::uint64_t seed) {
  std::string wrong = Workers(code, findings, seed).run();
  return wrong.empty() ? wrong : "workers: " + wrong;
}

}  // namespace thrum
