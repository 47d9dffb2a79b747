// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/explore.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "campaign/suite.hpp"

namespace thrum {

namespace {

// Leaves in a trace with all events only what a trace of new choices holds.
void keep_fringe(const Plan& plan, Trace& trace) {
  if (plan.departures.empty()) return;
  auto last = std::find_if(trace.choices.begin(), trace.choices.end(),
                           [&](const ChoicePoint& point) { return point.key == plan.departures.back().key; });
  if (last != trace.choices.end()) trace.choices.erase(trace.choices.begin(), last + 1);
}

void complete_levels(StatisticsKeeper& statistics, const Guarantee& guarantee, double seconds) {
  for (const Bound& bound : guarantee.bounds) {
    if (bound.completed && bound.covers == Covers::executions && bound.base == statistics.base())
      statistics.complete_below(*bound.completed + 1, seconds);
  }
  if (guarantee.complete) statistics.complete_below(UINT32_MAX, seconds);
}

// Whether everything that costs less was run to its end, by the weakened guarantee. Then it did not show the
// bug, or this would not be its best schedule.
bool is_minimal(const FoundBug& bug, const SearchResult& result, const Guarantee& guarantee) {
  if (bug.preemptions == 0) return true;
  // The bug may lie beyond the bound on yields, or in an unfair schedule.
  if (result.claims.beyond_yields != 0 || result.withheld != 0) return false;
  return std::any_of(guarantee.bounds.begin(), guarantee.bounds.end(), [&](const Bound& bound) {
    return bound.base == Base::nonpreemptive && bound.covers == Covers::executions && bound.completed &&
           *bound.completed + 1 >= bug.preemptions;
  });
}

class Search {
 public:
  Search(Program& program, Strategy& strategy, const Limits& limits, SearchSoFar from)
      : program_(program),
        strategy_(strategy),
        limits_(limits),
        start_(limits.now() - from.result.seconds),
        so_far_(std::move(from)) {}

  SearchSoFar run();

 private:
  bool is_over();
  bool run_plan();
  bool is_refused_always() const;
  void count();
  void count_values();
  void count_values_again();
  bool can_count_values_again() const;
  bool run_for_values(const Plan& plan, Trace& trace);
  void begin_again();
  FoundBug seen_bug() const;
  bool take_bug();  // false: control is lost
  void look_at_suspect();
  bool confirm(FoundBug& bug);
  void note_levels();
  bool is_bug_for_suite();
  bool add_to_suite();
  bool wants_audit();
  bool audit();
  Progress progress();
  Guarantee guarantee() const { return result_.claims.weigh(strategy_.guarantee()); }
  void lose_control(std::string reason);
  void diverge(std::string reason);
  Waiting waiting() const;
  double elapsed() const { return limits_.now() - start_; }

  Program& program_;
  Strategy& strategy_;
  const Limits& limits_;
  const Wanted::Set can_record_ = program_.can_record();
  const bool takes_advice_ = program_.takes_advice();
  bool has_values_ = false;      // of the execution that was run last
  bool strategy_reads_ = false;  // the strategy has its values, too, and begins again where some are missing
  static constexpr std::size_t kPlansMax = 20'000;
  std::vector<Plan> counted_;  // plans whose values were counted here; at most kPlansMax
  double start_;
  double audit_seconds_ = 0;
  std::vector<Failure> suite_bugs_;
  std::uint64_t levels_noted_ = 0;
  double levels_noted_at_ = 0;    // elapsed() at that time
  bool levels_may_wait_ = false;  // to be noted later
  std::array<std::uint32_t, kBaseCount>
      dearest_{};  // by base: the greatest cost of executions that a base alone leads
  Plan plan_;
  Trace trace_;
  SearchSoFar so_far_;
  SearchResult& result_ = so_far_.result;
  StatisticsKeeper& statistics_ = so_far_.statistics;
  const std::function<Progress()> ask_ = [this] { return progress(); };
};

SearchSoFar Search::run() {
  if (!limits_.count_classes && !limits_.keeps_classes)
    statistics_.limit_classes(ClassCounter::kClassesMaxUnasked);
  result_.end = SearchEnd::exhausted;
  note_levels();
  while (!is_over()) {
    if (!strategy_.next(plan_)) {
      if (strategy_.is_put_off()) {
        if (limits_.answer) limits_.answer(ask_);
        continue;
      }
      std::string problem = strategy_.reporting().problem();
      if (problem.empty()) break;
      // What it was at when the time ended is left.
      if (limits_.out_of_time()) {
        is_over();
      } else {
        lose_control(std::move(problem));
      }
      break;
    }
    plan_.policy.fairness = limits_.fairness;
    if (limits_.waiting != Waiting::spins) plan_.policy.waiting = waiting();
    if (!run_plan()) break;
    bool repeats = strategy_.reporting().repeats() || trace_.begins_again;
    if (!repeats) ++result_.executions;
    result_.steps += trace_.counts.steps;
    result_.threads_max = std::max(result_.threads_max, trace_.counts.threads);
    if (trace_.end == End::diverged) {
      diverge("a schedule could not be followed again");
      break;
    }
    if (trace_.end == End::uncontrolled) {
      lose_control("");  // the worker knows the reason
      break;
    }
    if (trace_.end == End::time) {
      result_.claims.take(plan_.policy.base, trace_);
      result_.end = SearchEnd::time;
      break;
    }
    if (trace_.starved) {
      result_.starved = true;
      break;
    }
    if (!repeats) result_.withheld += trace_.counts.withheld;
    strategy_.learn(plan_, trace_);
    if (trace_.begins_again) begin_again();
    if (!repeats) count();
    if (trace_.end == End::refused && is_refused_always()) {
      lose_control("");  // the worker's notes say why
      break;
    }
    if (limits_.suite != nullptr && !add_to_suite()) break;
    if (!repeats && wants_audit() && !audit()) break;
    if (limits_.answer) limits_.answer(ask_);
    if (repeats || trace_.end == End::finished) continue;
    if (trace_.end == End::bug && !take_bug()) break;
    bool ends = trace_.end == End::bug && limits_.end_at_races && trace_.failure.kind == BugKind::data_race;
    if (!result_.bugs.empty() && (ends || !limits_.keep_going)) {
      result_.end = SearchEnd::bug;
      break;
    }
  }
  if (limits_.count_values && statistics_.values().lacks_something()) count_values_again();
  if (result_.bugs.empty() || limits_.keep_going) look_at_suspect();
  result_.seconds = elapsed();
  statistics_.settle();
  return std::move(so_far_);
}

// A reduction assumes that a thread that is enabled once stays enabled. It does not see a race with the
// thread in which of two writes comes last.
Waiting Search::waiting() const {
  const bool reduces = strategy_.reporting().last_order() != nullptr;
  return limits_.waiting == Waiting::changed && reduces ? Waiting::written : limits_.waiting;
}

// Whether a limit ends the search.
bool Search::is_over() {
  if (limits_.out_of_time()) {
    result_.end = SearchEnd::time;
  } else if (limits_.executions != 0 && result_.executions >= limits_.executions) {
    result_.end = SearchEnd::executions;
  }
  if (limits_.wants_between && limits_.wants_between(result_.end != SearchEnd::exhausted)) {
    result_.seconds = elapsed();
    statistics_.settle();
    limits_.between(so_far_);
  }
  return result_.end != SearchEnd::exhausted;
}

// False: the program cannot run the plan as the strategy needs it.
bool Search::run_plan() {
  const Wanted wanted = strategy_.wanted();
  Advisor* const advisor = strategy_.advisor();
  if ((wanted.what & ~can_record_) != 0 || (advisor != nullptr && !takes_advice_)) {
    lose_control(advisor != nullptr && !takes_advice_
                     ? "the strategy decides while executions run, which this program does not allow"
                     : "the strategy needs parts of executions that this program cannot record");
    return false;
  }
  // A strategy that keeps partial orders has the classes, and needs only the events that it asked for.
  const bool has_events = wanted.from != Wanted::From::last_departure && wanted.has(Wanted::kEvents);
  const bool adds_events = limits_.count_classes && !has_events;
  Wanted all = Wanted::all_events();
  all.known_departures = wanted.known_departures;
  Wanted recorded = adds_events ? all : wanted;
  // Where footprints are wanted, values would take their place.
  has_values_ = limits_.count_values && !wanted.has(Wanted::kFootprints);
  strategy_reads_ = wanted.has(Wanted::kAccesses);
  if (has_values_) recorded.what |= Wanted::kEvents | Wanted::kPast | Wanted::kAccesses;
  if (limits_.count_local_states) {
    const Wanted::Set more = Wanted::kEvents | Wanted::kPast | (can_record_ & Wanted::kFootprints);
    recorded.what = static_cast<Wanted::Set>(recorded.what | more);
  }
  limits_.announce(plan_);
  program_.run(plan_, advisor, recorded, trace_);
  const bool is_new = trace_.end == End::bug && find_bug(result_.bugs, trace_.failure) == nullptr;
  if (is_new && limits_.note_bug && !strategy_.reporting().repeats()) limits_.note_bug(seen_bug());
  if (adds_events && wanted.from == Wanted::From::last_departure) keep_fringe(plan_, trace_);
  return true;
}

// Whether the search is useless: every execution ended at a refused call.
bool Search::is_refused_always() const {
  constexpr std::uint64_t kExecutions = 1000;
  return result_.executions >= kExecutions && result_.claims.count(Cut::refused_call) == result_.executions;
}

void Search::count() {
  result_.claims.take(plan_.policy.base, trace_);
  result_.midway += trace_.counts.midway ? 1 : 0;
  result_.trusted += trace_.counts.trusted ? 1 : 0;
  std::optional<double> read;  // reads the clock at most once
  const auto seconds = [&] {
    if (!read) read = elapsed();
    return *read;
  };
  // In a search in order of cost, the first execution that costs more shows that the cheaper ones are done.
  if (statistics_.is_dearest(plan_, trace_) && !limits_.is_part)
    complete_levels(statistics_, guarantee(), seconds());
  std::uint32_t& dearest = dearest_[static_cast<std::size_t>(plan_.policy.base)];
  bool may_be_next_level = plan_.policy.kind == Policy::Kind::base && trace_.cost > dearest;
  if (may_be_next_level) dearest = trace_.cost;
  if (std::string_view member = strategy_.reporting().member();
      !member.empty() && statistics_.is_next_member(member)) {
    statistics_.begin_member(member, seconds());
    may_be_next_level = true;
  }
  if (may_be_next_level || levels_may_wait_) note_levels();
  const Reporting& reporting = strategy_.reporting();
  if (limits_.count_local_states)
    statistics_.take_local_states(trace_, reporting.for_suite() == ForSuite::starts_over);
  if (limits_.count_values) count_values();
  if (statistics_.take(plan_, trace_, reporting.last_order(), limits_.count_classes,
                       reporting.has_run_none_twice()))
    statistics_.point(seconds());
}

// Saves the result if more levels are completed than when it was last saved. Levels that are completed
// shortly one after the other are saved together: saving takes as long as many executions.
void Search::note_levels() {
  constexpr double kSeconds = 0.001;
  if (!limits_.note_level || (limits_.holds_all ? !limits_.holds_all() : limits_.is_part)) return;
  const double now = elapsed();
  levels_may_wait_ = now - levels_noted_at_ < kSeconds;
  if (levels_may_wait_) return;
  Guarantee weighed = guarantee();
  std::uint64_t levels = 0;
  for (const Bound& bound : weighed.bounds)
    levels += bound.completed ? *bound.completed + std::uint64_t{1} : 0;
  if (levels <= levels_noted_) return;
  levels_noted_ = levels;
  result_.guarantee = std::move(weighed);
  result_.seconds = levels_noted_at_ = now;
  std::vector<FoundBug> bugs = std::exchange(result_.bugs, {});  // bugs are saved separately
  limits_.note_level(result_);
  result_.bugs = std::move(bugs);
}

Progress Search::progress() {
  note_levels();
  Progress progress = strategy_.reporting().progress();
  statistics_.settle();
  progress.classes = statistics_.classes();
  return progress;
}

// Adds the advisor's choices after the plan's last departure to the plan, so that it needs no advisor.
void add_advised(Plan& plan, const Trace& trace) {
  if (plan.policy.kind != Policy::Kind::base) return;
  const std::size_t planned = plan.departures.size();
  for (const ChoicePoint& point : trace.choices) {
    std::span<const Option> options = trace.options_of(point);
    if (point.taken == default_option(point, options, plan.policy.base)) continue;
    auto end = plan.departures.begin() + static_cast<std::ptrdiff_t>(planned);
    const bool is_planned = std::any_of(
        plan.departures.begin(), end, [&](const Departure& departure) { return departure.key == point.key; });
    if (!is_planned) plan.departures.push_back({point.key, options[point.taken]});
  }
}

// Whether the execution has shown a bug of which the suite has no execution.
bool Search::is_bug_for_suite() {
  const auto is_same = [&](const Failure& other) { return same_bug(other, trace_.failure); };
  if (trace_.end != End::bug || std::ranges::any_of(suite_bugs_, is_same)) return false;
  suite_bugs_.push_back(trace_.failure);
  return true;
}

// False: the schedule did not show the same execution again.
bool Search::add_to_suite() {
  const ForSuite role = trace_.begins_again ? ForSuite::starts_over : strategy_.reporting().for_suite();
  if (role == ForSuite::starts_over) {
    limits_.suite->begin_again();
    suite_bugs_.clear();
  }
  if (!is_bug_for_suite() && role != ForSuite::yes) return true;
  Trace again;
  const SuiteSchedule schedule = suite_schedule(program_, plan_, trace_, again);
  if (again.end == End::time) return true;
  if (again.end == End::uncontrolled) {
    lose_control("");
    return false;
  }
  // With all its rounds an execution may come to another end than one that waited.
  const bool may_differ = trace_.rounds != Rounds::repeat || again.end == End::bug;
  if (again.end == End::diverged || (again.end != trace_.end && !may_differ)) {
    diverge("a schedule of the suite did not give the same twice");
    return false;
  }
  limits_.suite->add(schedule);
  if (again.end == End::bug && trace_.end != End::bug) {
    // It is taken as if the strategy had run it. A leak, for example, is not judged under advice.
    plan_ = schedule.plan;
    trace_ = std::move(again);
  }
  return true;
}

// Audits become rarer as the search goes on, and take only a small part of its time.
bool Search::wants_audit() {
  constexpr std::uint64_t kEach = 4096;
  constexpr double kPart = 0.02;
  constexpr double kFree = 0.02;  // seconds
  const std::uint64_t number = limits_.executions_before + result_.executions;
  if (!limits_.audits || (std::popcount(number) != 1 && number % kEach != 0)) return false;
  // Bugs are confirmed anyway. Executions that were cut or stopped run differently if more is recorded.
  if (trace_.end != End::finished) return false;
  return audit_seconds_ <= kFree + kPart * elapsed();
}

// Runs the schedule twice more. False: the results differ.
bool Search::audit() {
  const double begun = limits_.now();
  Plan plan = plan_;
  add_advised(plan, trace_);
  Trace trace;
  std::optional<Divergence> divergence = find_divergence(program_, plan, trace);
  // Points are not compared: in a known end some are not counted.
  const bool is_as_first =
      trace.end == trace_.end && trace.counts.threads == trace_.counts.threads && trace.cost == trace_.cost;
  // Two runs may agree by chance.
  for (int tries = 0; !is_as_first && !divergence && trace.end != End::time && tries < 5; ++tries)
    divergence = find_divergence(program_, plan, trace);
  audit_seconds_ += limits_.now() - begun;
  if (trace.end == End::time) return true;
  ++result_.audited;
  if (!divergence && is_as_first) return true;
  diverge("the same schedule did not give the same twice");
  result_.divergence = std::move(divergence);
  return false;
}

void Search::begin_again() {
  statistics_.begin_again();
  counted_.clear();
}

// False: the execution could not be repeated.
bool Search::run_for_values(const Plan& plan, Trace& trace) {
  Wanted wanted = Wanted::all_events();
  wanted.what |= Wanted::kPast | Wanted::kAccesses;
  program_.run(plan, nullptr, wanted, trace);
  return trace.end != End::time && trace.end != End::uncontrolled && trace.end != End::diverged &&
         !trace.begins_again;
}

// Counts what the threads of the execution have read. Where it shows that more memory is shared than was
// known, reads of that are missing in earlier executions: these are run again, at once if they are few, and
// else in the end.
void Search::count_values() {
  constexpr std::size_t kFew = 1000;
  ValueSequences& values = statistics_.values();
  Trace again;
  Plan plan = plan_;
  if (!strategy_reads_) add_advised(plan, trace_);
  if (!has_values_ && !run_for_values(plan, again)) return values.blur();
  const Trace& trace = has_values_ ? trace_ : again;
  const bool lacks_reads = values.lacks_reads(trace);
  if (lacks_reads && strategy_reads_) values.begin_again();
  if (can_count_values_again() && counted_.size() < kPlansMax) counted_.push_back(std::move(plan));
  statistics_.take_values(trace);
  if (lacks_reads && counted_.size() < kFew) count_values_again();
}

// Whether all executions that count were run here, and their plans are known.
bool Search::can_count_values_again() const {
  return !strategy_reads_ && statistics_.values().executions() == counted_.size();
}

void Search::count_values_again() {
  if (!can_count_values_again()) return;
  ValueSequences values;
  Trace trace;
  for (bool grows = true; grows;) {
    grows = false;
    values.begin_again();
    for (std::size_t i = 0; i < counted_.size() && !grows; ++i) {
      if (!run_for_values(counted_[i], trace)) return;
      grows = values.lacks_reads(trace);
      if (!grows) values.take(trace, i + 1);
    }
  }
  statistics_.values() = values;
}

// The bug that the execution has shown, before its schedule is run again.
FoundBug Search::seen_bug() const {
  FoundBug bug;
  bug.failure = trace_.failure;
  bug.execution = result_.executions + (strategy_.reporting().repeats() ? 0 : 1);
  bug.seconds = elapsed();
  bug.strategy = strategy_.reporting().member();
  bug.plan = plan_;
  add_advised(bug.plan, trace_);
  bug.preemptions = trace_.cost;
  bug.unconfirmed = "its schedule was not run again";
  bug.trace.end = End::bug;
  bug.trace.failure = trace_.failure;
  bug.trace.counts.threads = trace_.counts.threads;
  bug.trace.counts.steps = trace_.counts.steps;
  bug.trace.details.failure_stack = trace_.details.failure_stack;
  bug.trace.details.waiter_places = trace_.details.waiter_places;
  bug.trace.details.access_places = trace_.details.access_places;
  bug.trace.details.blocks = trace_.details.blocks;
  return bug;
}

void Search::look_at_suspect() {
  const std::optional<Plan> suspect = limits_.last_suspect ? limits_.last_suspect() : std::nullopt;
  if (!suspect || result_.end == SearchEnd::lost_control) return;
  plan_ = *suspect;
  limits_.announce(plan_);
  program_.run(plan_, nullptr, Wanted::all_choices(), trace_);
  if (trace_.end == End::bug && take_bug()) result_.end = SearchEnd::bug;
}

bool Search::take_bug() {
  FoundBug* known = find_bug(result_.bugs, trace_.failure);
  if (known != nullptr) {
    bool costs_preemptions = plan_.policy.base == Base::nonpreemptive;
    if (known->minimal || (costs_preemptions && trace_.cost >= known->preemptions)) return true;
  }
  FoundBug bug = seen_bug();
  bug.execution = result_.executions;
  const bool is_controlled = confirm(bug);
  if (bug.unconfirmed.empty()) {
    departures_from_base(bug.trace, bug.preemptions);
    bug.minimal = !limits_.is_part && is_minimal(bug, result_, guarantee());
    if (limits_.note_bug) limits_.note_bug(bug);
  }
  if (known == nullptr) {
    result_.bugs.push_back(std::move(bug));
    statistics_.take_bug();
  } else if (bug.unconfirmed.empty() && bug.preemptions < known->preemptions) {
    *known = std::move(bug);
  }
  return is_controlled;
}

// Runs the schedule of a bug twice more, and notes in the bug whether it was shown again. False: the program
// is not under control.
bool Search::confirm(FoundBug& bug) {
  Plan plan = bug.plan;
  Trace trace;
  if (plan.policy.rounds != Rounds::repeat) plan = with_all_rounds(program_, plan, trace);
  std::optional<Divergence> divergence = find_divergence(program_, plan, trace);
  if (trace.end == End::time) {
    bug.unconfirmed = "the time ended before its schedule was run again";
    return true;
  }
  // Of a failed assertion the place has to be the same, too. Failures of other kinds may be described more
  // fully here, since this run records more.
  const auto shows_bug = [&](const Trace& one) {
    if (one.end != End::bug || one.failure.kind != bug.failure.kind) return false;
    return bug.failure.kind != BugKind::assertion || same_bug(one.failure, bug.failure);
  };
  if (!divergence && shows_bug(trace)) {
    bug.plan = std::move(plan);
    bug.trace = std::move(trace);
    bug.unconfirmed.clear();
    return true;
  }
  if (divergence) {
    bug.unconfirmed = "its schedule, run again, did not give the same twice";
    diverge("the schedule of a bug did not give the same twice");
    if (shows_bug(divergence->first)) bug.trace = divergence->first;
    result_.divergence = std::move(divergence);
  } else {
    bug.unconfirmed = trace.end == End::bug
                          ? "its schedule, run again, showed something else: " +
                                std::string(bug_kind_name(trace.failure.kind)) + ", " + trace.failure.message
                          : "its schedule, run again, did not show it";
    diverge("the schedule of a bug did not show it again");
  }
  return false;
}

void Search::lose_control(std::string reason) {
  result_.end = SearchEnd::lost_control;
  result_.lost_reason = std::move(reason);
  result_.lost_plan = plan_;
}

void Search::diverge(std::string reason) {
  result_.claims.lose(Cut::divergence);
  lose_control(std::move(reason));
}

}  // namespace

FoundBug* find_bug(std::vector<FoundBug>& bugs, const Failure& failure) {
  auto known = std::find_if(bugs.begin(), bugs.end(),
                            [&](const FoundBug& bug) { return same_bug(bug.failure, failure); });
  return known == bugs.end() ? nullptr : &*known;
}

SearchSoFar explore_part(Program& program, Strategy& strategy, const Limits& limits, SearchSoFar from) {
  return Search(program, strategy, limits, std::move(from)).run();
}

SearchResult conclude(SearchSoFar so_far, Strategy& strategy) {
  SearchResult& result = so_far.result;
  const Guarantee guarantee = strategy.guarantee();
  if (result.end == SearchEnd::exhausted && !guarantee.exhausted && !result.starved) {
    result.end = SearchEnd::lost_control;
    result.lost_reason = "the strategy has nothing left to run, and claims nothing";
  }
  result.guarantee = result.claims.weigh(guarantee);
  result.kept = strategy.reporting().statistics();
  complete_levels(so_far.statistics, result.guarantee, result.seconds);
  // A search that runs each class is complete, perhaps by several parts.
  const bool has_all_classes =
      result.end == SearchEnd::exhausted && strategy.reporting().last_order() != nullptr;
  result.statistics = so_far.statistics.result(result.seconds, has_all_classes);
  // Executions that were missing when a bug was found may have been run since.
  for (FoundBug& bug : result.bugs) bug.minimal = bug.minimal || is_minimal(bug, result, result.guarantee);
  return std::move(result);
}

SearchResult explore(Program& program, Strategy& strategy, const Limits& limits, SearchSoFar from) {
  return conclude(explore_part(program, strategy, limits, std::move(from)), strategy);
}

void merge(SearchSoFar& all, SearchSoFar part) {
  SearchResult& to = all.result;
  SearchResult& from = part.result;
  // The first of these ends that any part had is the end of all.
  constexpr SearchEnd kOrder[] = {SearchEnd::lost_control, SearchEnd::bug, SearchEnd::time,
                                  SearchEnd::executions, SearchEnd::exhausted};
  auto place = [&](SearchEnd end) { return std::find(std::begin(kOrder), std::end(kOrder), end); };
  const SearchEnd end = place(from.end) < place(to.end) ? from.end : to.end;
  if (end == SearchEnd::lost_control && to.end != end) {
    to.lost_plan = std::move(from.lost_plan);
    to.lost_reason = std::move(from.lost_reason);
    to.divergence = std::move(from.divergence);
  }
  to.end = end;
  to.executions += from.executions;
  to.steps += from.steps;
  to.midway += from.midway;
  to.trusted += from.trusted;
  to.audited += from.audited;
  to.claims.merge(from.claims);
  to.withheld += from.withheld;
  to.starved = to.starved || from.starved;
  to.threads_max = std::max(to.threads_max, from.threads_max);
  to.seconds = std::max(to.seconds, from.seconds);
  for (FoundBug& bug : from.bugs) {
    FoundBug* known = find_bug(to.bugs, bug.failure);
    if (known == nullptr) {
      to.bugs.push_back(std::move(bug));
    } else if (bug.preemptions < known->preemptions) {
      *known = std::move(bug);
    }
  }
  part.statistics.end_member(from.seconds);
  all.statistics.merge(part.statistics);
}

}  // namespace thrum
