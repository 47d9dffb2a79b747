// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm_worker/state_cache.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "campaign/confirm.hpp"

namespace thrum {

namespace {

constexpr int kTriesMax = 100;     // of a bug behind races
constexpr int kRoundsMax = 1'000;  // of a livelock, until an ordinary execution is to know that it is one
constexpr std::uint64_t kStepsMax = ~std::uint64_t{0} / 4;  // a search of states has no bound on operations

StatefulSettings::Order order_of(const std::string& strategy) {
  return strategy == "dfs"   ? StatefulSettings::Order::dfs
         : strategy == "bfs" ? StatefulSettings::Order::bfs
                             : StatefulSettings::Order::icb;
}

// In ordinary executions plain accesses are scheduling points where they were seen to race (Races::explore).
bool is_at_plain_access(const View& view, ThreadId thread) {
  const std::span<const PendingOperation> pending = view.threads.pending();
  const auto found = std::ranges::find(pending, thread, &PendingOperation::thread);
  return found != pending.end() &&
         (found->operation == Operation::racy_load || found->operation == Operation::racy_store ||
          found->operation == Operation::racy_free);
}

std::uint16_t position_of(std::span<const Option> options, Option wanted) {
  return static_cast<std::uint16_t>(std::ranges::find(options, wanted) - options.begin());
}

}  // namespace

// Follows the visible operations of a schedule. A thread that waits in a loop repeats nothing in an ordinary
// execution, so what it cannot do now it need not do.
class StateCacheStrategy final : public Strategy, public Advisor, public Reporting {
 public:
  explicit StateCacheStrategy(StateCache& cache) : cache_(cache) {}

  bool next(Plan& plan) override {
    if (!cache_.is_searched_) cache_.search();
    if (cache_.is_stopped_ || !has_next()) return false;
    plan = Plan{};
    plan.policy.kind = Policy::Kind::base;
    plan.policy.rounds = Rounds::repeat;
    return true;
  }
  Wanted wanted() const override { return Wanted::all_events(); }
  Advisor* advisor() override { return this; }
  void learn(const Plan&, const Trace& trace) override {
    StateCache::Bug& bug = bug_now();
    const bool ends_at_race = trace.end == End::bug && trace.failure.kind == BugKind::data_race;
    if (is_second_try() && ends_at_race && tries_++ < kTriesMax) {
      cache_.machine_.known_races.add(trace.failure);
      return;
    }
    ++number_;
    tries_ = 0;
    if (bug.is_clean_end) {
      std::uint32_t preemptions = 0;
      if (trace.end == End::finished)
        cache_.machine_.leaks.note_clean(departures_from_base(trace, preemptions));
      bug.is_shown = true;
      return;
    }
    // A race may be shown by another one; and a cycle of states, by other words.
    const BugKind kind = bug.found.failure.kind;
    const bool is_by_kind = kind == BugKind::data_race || kind == BugKind::livelock || kind == BugKind::leak;
    bug.is_shown = trace.end == End::bug &&
                   (is_by_kind ? trace.failure.kind == kind : same_bug(trace.failure, bug.found.failure));
  }

  void begin() override { next_ = rounds_ = 0; }
  Advice at_point(const View& view) override {
    const StateCache::Bug& bug = bug_now();
    while (true) {
      for (; next_ < bug.schedule.size(); ++next_) {
        const StateCache::Choice& choice = bug.schedule[next_];
        if (choice.kind != view.point.key.kind) continue;
        if (choice.is_plain && !is_at_plain_access(view, choice.option.value)) continue;
        const std::uint16_t taken = position_of(view.options, choice.option);
        if (taken == view.options.size()) continue;
        ++next_;
        return {Advice::Kind::take, taken};
      }
      if (!bug.found.round || rounds_++ == kRoundsMax) return {Advice::Kind::follow, 0};
      next_ = *bug.found.round;
    }
  }

  Guarantee guarantee() const override;
  Reporting& reporting() override { return *this; }
  std::string problem() const override;
  SearchStatistics statistics() const override;

 private:
  // Bugs that were not shown have a second try. The accesses whose races come before are scheduling points in
  // it, as in a search with Races::explore; those of races that it meets are, when it is tried again.
  bool has_next() {
    for (; number_ < 2 * cache_.bugs_.size(); ++number_) {
      const StateCache::Bug& bug = bug_now();
      if (!is_second_try()) return true;
      if (bug.is_shown || bug.races.empty()) continue;
      for (const StateCache::Bug& other : cache_.bugs_) {
        if (other.found.failure.kind == BugKind::data_race)
          cache_.machine_.known_races.add(other.trace.failure);
      }
      for (const Failure& race : bug.races) cache_.machine_.known_races.add(race);
      return true;
    }
    return false;
  }
  bool is_second_try() const { return number_ >= cache_.bugs_.size(); }
  StateCache::Bug& bug_now() { return cache_.bugs_[number_ % cache_.bugs_.size()]; }

  StateCache& cache_;
  std::size_t number_ = 0;  // of the try: of the bug whose execution runs next
  int tries_ = 0;           // of it
  std::size_t next_ = 0;    // of its choices
  int rounds_ = 0;          // that a livelock has gone, or tried to go
};

std::unique_ptr<Strategy> StateCache::make_strategy() { return std::make_unique<StateCacheStrategy>(*this); }

// Begins again until nothing more is learned of the program. What was found before is true, but what was
// visited is not all there is.
void StateCache::search() {
  is_searched_ = true;
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t steps = std::exchange(machine_.settings.steps, kStepsMax);
  machine_.settings.visits_states = true;
  {
    vm::VmStates states(machine_);
    StatefulSettings settings;
    settings.order = order_of(job_.strategy);
    settings.preemptions = job_.settings.limit;
    settings.depth = job_.state_depth;
    settings.races = job_.races != Races::ignore;
    settings.stops_at_bug = !job_.keep_going;
    settings.memory = job_.settings.memory_max;
    std::optional<StateSearch> search;
    settings.has_to_stop = [&] {
      const StateSearch::SoFar so_far = search->so_far();
      Progress progress;
      progress.level = so_far.bound;
      progress.states = {so_far.states, so_far.depth, so_far.bytes};
      return has_to_stop_(progress);
    };
    settings.at_end = [&] { note_end(states, *search); };
    settings.at_cut_off = [&] { claims_.take(Base::nonpreemptive, states.trace()); };
    bool begins_again = true;
    while (begins_again) {
      claims_ = {};
      states.begin_search();
      lost_.clear();
      clean_.reset();
      findings_ = search.emplace(states, settings).run();
      const bool is_done = findings_.stopped == StateFindings::Stopped::no ||
                           findings_.stopped == StateFindings::Stopped::by_bug;
      begins_again = states.has_learned() && is_done && !settings.has_to_stop();
      if (begins_again) ++restarts_;
    }
    is_stopped_ = findings_.stopped == StateFindings::Stopped::from_outside;
    if (states.has_learned()) {  // so what it has completed is not all there is
      findings_.is_cut = true;
      findings_.bounds.clear();
    }
    refused_ = states.refused();
    is_symmetric_ = states.is_symmetric();
    escape_ = states.escape();
    add_leaks();
    trace_bugs(states);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (job_.state_curves != 0)
      curves_ = state_curves(states, job_.state_curves, job_.settings.seed, settings.has_to_stop);
  }
  machine_.settings.visits_states = false;
  machine_.settings.steps = steps;
}

void StateCache::note_end(const vm::VmStates& states, const StateSearch& search) {
  const vm::LeakSearch::EndOfStates& leaks = states.leaks();
  if (leaks.freed_all && !clean_) clean_ = search.schedule();
  const auto is_known = [&](const StateBug& bug) { return same_bug(bug.failure, *leaks.lost); };
  if (!leaks.lost || lost_.size() == kLeaksMax || std::ranges::any_of(lost_, is_known)) return;
  lost_.push_back({*leaks.lost, search.schedule(), 0, {}, false});
}

// Lost blocks are a bug where they are asked for, or if another end has freed every block.
void StateCache::add_leaks() {
  if (lost_.empty() || !(job_.leaks || clean_)) return;
  if (!job_.leaks) bugs_.emplace_back().found.schedule = *clean_;
  for (Bug& witness : bugs_) witness.is_clean_end = true;
  findings_.bugs.insert(findings_.bugs.end(), lost_.begin(), lost_.end());
}

// Runs the schedule of each bug once more, and notes what it consists of.
void StateCache::trace_bugs(vm::VmStates& states) {
  states.wanted = Wanted::everything();
  machine_.keeps_order = true;
  for (const StateBug& found : findings_.bugs) bugs_.emplace_back().found = found;
  for (Bug& bug : bugs_) trace_bug(states, bug);
  machine_.keeps_order = false;
}

void StateCache::trace_bug(vm::VmStates& states, Bug& bug) {
  states.reset();
  std::uint32_t round_begin = 0;
  for (const Option option : bug.found.schedule) {
    note_races(states, bug);
    if (bug.found.round == bug.schedule.size())
      round_begin = static_cast<std::uint32_t>(states.trace().events.size());
    Choice choice{option, states.point().key.kind, false};
    if (choice.kind == ChoiceKind::thread && option.via == Via::run)
      choice.is_plain = vm::VmStates::stands_at_plain_access(option.value);
    // In an ordinary execution ids of threads do not come again.
    if (choice.kind == ChoiceKind::thread || choice.kind == ChoiceKind::waiter)
      choice.option.value = vm::VmStates::id_in_order(option.value);
    bug.schedule.push_back(choice);
    states.step(option);
  }
  bug.trace = states.trace();
  if (bug.found.round) bug.trace.lasso = {round_begin, static_cast<std::uint32_t>(bug.trace.events.size())};
  bug.trace.end = End::bug;
  if (bug.trace.failure.empty()) bug.trace.failure = bug.found.failure;
}

// The race that a bug consists of is no reason for it.
void StateCache::note_races(vm::VmStates& states, Bug& bug) {
  if (states.point().key.kind != ChoiceKind::thread || bug.found.failure.kind == BugKind::data_race) return;
  for (Failure& race : states.races()) {
    const auto is_it = [&race](const Failure& known) { return same_bug(known, race); };
    if (std::ranges::none_of(bug.races, is_it)) bug.races.push_back(std::move(race));
  }
}

std::vector<FoundBug> StateCache::unshown() const {
  std::vector<FoundBug> bugs;
  for (const Bug& bug : bugs_) {
    if (bug.is_shown || bug.found.is_in_lockstep || bug.is_clean_end) continue;
    FoundBug& one = bugs.emplace_back();
    one.failure = bug.trace.failure;
    one.preemptions = bug.found.cost;
    one.unconfirmed = is_stopped_       ? "the time ended before its schedule was run again"
                      : bug.found.round ? "its states lead to each other, but no other execution went round"
                                        : "it needs switches of threads that other executions lack";
    one.trace = bug.trace;
    one.trace.events.clear();
    one.trace.details.places.clear();
    one.trace.lasso = {};
  }
  return bugs;
}

Guarantee StateCacheStrategy::guarantee() const {
  Guarantee guarantee;
  const StateFindings& findings = cache_.findings_;
  if (!cache_.is_searched_) return guarantee;
  const bool is_done = findings.stopped == StateFindings::Stopped::no;
  guarantee.complete = findings.is_complete();
  guarantee.exhausted = is_done && cache_.claims_.cut() == 0;
  const std::optional<std::uint32_t> limit = cache_.job_.settings.limit;
  if (cache_.job_.strategy == "icb" || limit) {
    Bound bound;
    bound.limit = limit;
    if (!findings.bounds.empty()) bound.completed = findings.bounds.back().preemptions;
    if (cache_.job_.strategy == "dfs" && is_done) bound.completed = limit;
    guarantee.bounds.push_back(bound);
  }
  if (cache_.job_.state_depth && !guarantee.complete) guarantee.exhausted = false;
  return cache_.claims_.weigh(guarantee);
}

std::string StateCacheStrategy::problem() const {
  const StateFindings& findings = cache_.findings_;
  if (!cache_.is_searched_) return "";
  if (cache_.is_stopped_) return "it was stopped";
  if (findings.stopped == StateFindings::Stopped::by_memory)
    return "the states that were visited do not fit into --search-memory";
  if (!cache_.refused_.empty()) return "the machine cannot run " + cache_.refused_;
  if (cache_.claims_.cut() > 0 ||
      (findings.is_cut && !cache_.job_.settings.limit && !cache_.job_.state_depth))
    return "some executions were cut, so that states behind them were not seen";
  if (cache_.job_.state_depth && findings.is_cut)
    return "every state within " + std::to_string(*cache_.job_.state_depth) + " steps was visited (--bound)";
  return "";
}

SearchStatistics StateCacheStrategy::statistics() const {
  SearchStatistics statistics;
  const StateFindings& findings = cache_.findings_;
  StatefulStatistics& own = statistics.stateful.emplace();
  own.states = findings.states;
  own.ends = findings.ends;
  own.steps = findings.steps;
  own.depth = findings.depth;
  own.blocking = findings.blocking;
  own.preemptions = findings.preemptions;
  own.bytes = findings.bytes;
  own.restarts = cache_.restarts_;
  own.expected_collisions = findings.expected_collisions;
  own.seconds = cache_.seconds_;
  own.is_symmetric = cache_.is_symmetric_;
  own.sought_livelocks = findings.sought_livelocks;
  own.unsought_lockstep = findings.unsought_lockstep;
  own.may_go_round = static_cast<std::uint64_t>(std::ranges::count_if(
      cache_.bugs_, [](const StateCache::Bug& bug) { return !bug.is_shown && bug.found.is_in_lockstep; }));
  for (const StateCurve& curve : cache_.curves_) {
    auto& kept = own.curves.emplace_back();
    kept.name = curve.name;
    for (const StateCurve::Point& point : curve.points)
      kept.points.emplace_back(point.executions, point.states);
  }
  for (const StateFindings::Bound& bound : findings.bounds) own.bounds.push_back({bound.states, bound.steps});
  return statistics;
}

}  // namespace thrum
