// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/dpor.hpp"

#include <algorithm>
#include <utility>

#include "search/reversal.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

// A step of which only its thread is known. Such an event depends on all others.
PlannedStep unknown_step(const Step& step) {
  PlannedStep planned{step, {}};
  planned.event.thread = step.option.value;
  planned.event.operation = Operation::process_exit;
  return planned;
}

bool creates_thread(const Event& event) {
  return event.operation == Operation::thread_create && event.object != 0;
}

// Whether somebody who waited may go on behind it.
bool lets_go(const Event& event) {
  switch (event.operation) {
    case Operation::unlock:
    case Operation::shared_unlock:
    case Operation::wait_release:
    case Operation::semaphore_post: return true;
    default: return false;
  }
}

// Whether the late operation was waiting for what the early one does, had it come by then, and for a limited
// time.
bool ends_wait(const Event& early, const Event& late) {
  if (!late.timed) return false;
  switch (late.operation) {
    case Operation::lock:
      return early.operation == Operation::unlock || early.operation == Operation::wait_release ||
             early.operation == Operation::shared_unlock;
    case Operation::shared_lock: return early.operation == Operation::unlock;
    case Operation::semaphore_wait: return early.operation == Operation::semaphore_post && early.value == 1;
    case Operation::try_join: return true;
    default: return false;
  }
}

// Whether an execution ended though threads could go on.
bool cuts_off(const Trace& trace) {
  if (trace.end == End::assumption || is_cut_by_limit(trace.end)) return true;
  return trace.end == End::bug && trace.failure.kind != BugKind::deadlock &&
         trace.failure.kind != BugKind::livelock;
}

// Whether a thread has ended.
bool is_over(ThreadId thread, Pending& threads) {
  std::span<const PendingOperation> live = threads.pending();
  return thread != kNoThread &&
         std::none_of(live.begin(), live.end(),
                      [&](const PendingOperation& operation) { return operation.thread == thread; });
}

}  // namespace

bool Dpor::next(Plan& plan) {
  if (done_) return false;
  plan.policy = Policy{};
  plan.departures.clear();
  if (begun_) {
    waits_ = false;
    while (path_.size() > floor_ && !has_branch_left()) {
      waits_ = path_.size() == first_own();
      if (waits_) return false;
      backtrack();
    }
    if (path_.size() > floor_) {
      take_branch();
    } else if (floor_ > 0 || algorithm_ != Algorithm::bounded || !begin_next_bound()) {
      done_ = true;
      if (floor_ > 0) forget_all_but_findings();
      return false;
    }
  }
  begun_ = true;
  for (Point& point : path_) {
    if (point.walked_to > branch_) point.walked = WakeupTrees::kNone;
    if (&point == &path_[branch_]) known_departures_ = plan.departures.size();
    if (!point.by_default) plan.departures.emplace_back(point.key, point.step.option);
    const std::vector<Departure>& choices = choices_[point.step.choices];
    plan.departures.insert(plan.departures.end(), choices.begin(), choices.end());
  }
  seen_ = 0;
  if (algorithm_ == Algorithm::bounded) {
    asleep_.clear();
  } else {
    put_to_sleep(sleepers(branch_));
  }
  return true;
}

// The step of the last point of the path has been run, and sleeps from now on. Whether there is another one.
bool Dpor::has_branch_left() {
  Point& point = path_.back();
  if (point.branches.empty()) return false;
  const bool is_bounded = algorithm_ == Algorithm::bounded;
  if (!is_bounded && point.is_void) return true;
  // Nothing sleeps within a bound; but what was run is known, also where it came to nothing.
  const auto last = static_cast<Index>(path_.size() - 1);
  Sleeper& run = sleepers_.emplace_back();
  if (is_bounded) {
    run.planned.step = point.step;
  } else {
    planned(last).keep_in(run.planned);
  }
  run.stops = point.stops;
  run.anew = point.anew;
  run.lent = !lent_.empty() && lent_.back() == Lent{last, point.sleepers_count};
  run.relies = point.relies || point.all_rely;
  ++point.sleepers_count;
  // A step that chooses is run otherwise too (find_alternatives()), though what waits may come to the same;
  // unless a part has left something to what waits.
  if (algorithm_ == Algorithm::optimal && point.inner_count != 0 && !point.stops && all_stand_for_all(last))
    trees_.drop_asleep(point.branches, run.planned);
  return !point.branches.empty();
}

void Dpor::take_branch() {
  branch_ = static_cast<Index>(path_.size() - 1);
  ++path_.back().branches_run;
  order_.truncate(branch_);
  WakeupTrees::Node node = trees_.take_first(path_.back().branches);
  plan_step(path_.back(), node);
  if (path_.back().anew) wake_all(branch_);
  while (true) {
    WakeupTrees::Branches branches = trees_.below(node);
    trees_.give_back(node);
    if (branches.empty()) return;
    node = trees_.take_first(branches);
    const Point& before = path_.back();
    Point point;
    point.key = {before.step.option.value, ChoiceKind::thread, before.events_after};
    point.branches = branches;
    plan_step(point, node);
    path_.push_back(point);
  }
}

void Dpor::plan_step(Point& point, WakeupTrees::Node node) {
  const PlannedStep& planned = trees_.step(node);
  point.step = planned.step;
  point.by_default = false;
  point.stops = point.is_void = point.relies = false;
  point.foe = {};
  point.anew = planned.anew;
  point.events_after = planned.events_after;
  point.alternative = planned.alternative;
}

// Those that were run there commute with nothing from now on.
void Dpor::wake_all(Index depth) {
  const Point& point = path_[depth];
  for (std::uint32_t i = 0; i < point.sleepers_count; ++i)
    sleepers_[point.sleepers_begin + i].planned.foe.any = true;
}

// Takes back the last point, and those before it up to one that may have a branch left.
void Dpor::backtrack() {
  auto depth = static_cast<Index>(path_.size() - 1);
  while (depth > first_own() && path_[depth - 1].branches.empty()) --depth;
  truncate(depth);
}

void Dpor::truncate(Index depth) {
  order_.truncate(depth);
  options_.resize(path_[depth].options_begin);
  if (algorithm_ == Algorithm::bounded) costs_.resize(path_[depth].options_begin);
  sleepers_.resize(path_[depth].sleepers_begin);
  path_.resize(depth);
}

void Dpor::put_to_sleep(std::span<const Sleeper> sleepers) {
  asleep_.clear();
  for (const Sleeper& sleeper : sleepers) asleep_.push_back(&sleeper);
}

Advice Dpor::at_point(const View& view) {
  for (seen_ = std::max<std::size_t>(seen_, view.trace.branch); seen_ < view.trace.events.size(); ++seen_) {
    const Event& event = view.trace.events[seen_];
    if (creates_thread(event))
      std::erase_if(asleep_, [](const Sleeper* sleeper) { return sleeper->planned.creates; });
    if (!is_visible(event.operation)) continue;
    const StepView step{{{event.thread, via_of(event)}, 0}, event};
    std::erase_if(asleep_, [&](const Sleeper* sleeper) { return !commute(sleeper->planned, step); });
  }
  if (asleep_.empty()) return {Advice::Kind::leave};
  if (view.point.key.kind != ChoiceKind::thread) return {};
  auto sleeper_of = [&](const Option& option) {
    return std::find_if(asleep_.begin(), asleep_.end(),
                        [&](const Sleeper* sleeper) { return sleeper->planned.step.option == option; });
  };
  if (sleeper_of(view.options[view.default_option]) == asleep_.end()) return {};
  std::optional<std::uint16_t> last_resort;
  for (std::size_t i = 0; i < view.options.size(); ++i) {
    auto sleeper = sleeper_of(view.options[i]);
    auto option = static_cast<std::uint16_t>(i);
    if (sleeper == asleep_.end()) return {Advice::Kind::take, option};
    if ((*sleeper)->stops || is_over((*sleeper)->planned.foe.thread, view.threads)) last_resort = option;
  }
  if (last_resort) return {Advice::Kind::take, *last_resort};
  return {Advice::Kind::stop};
}

void Dpor::learn(const Plan&, const Trace& trace) {
  if (trace.end == End::stopped) ++blocked_;
  read(trace);
  if (path_.empty() || path_.back().is_void) return;
  find_branches(trace);
}

// What is to be run besides, by what the execution did from the branch on.
void Dpor::find_branches(const Trace& trace) {
  path_.back().stops = cuts_off(trace);
  for (Index step = branch_; step < path_.size(); ++step) find_alternatives(step, trace);
  for (Index step = 0; step < path_.size(); ++step) {
    if (step >= branch_ || std::exchange(path_[step].races_anew, false)) reverse_races(step);
  }
  if (path_.back().stops) reverse_end(trace);
  reverse_pending(trace);
}

// Takes down what the execution did from the branch on.
void Dpor::read(const Trace& trace) {
  Reading reading{trace.branch, 0, 0, branch_};
  read_on(trace, reading);
  const Index depth = reading.depth;
  // A step that came earlier than before may have ended it, or one could not be taken after all. What was
  // planned behind it is none of its future.
  if (depth == path_.size()) return;
  THRUM_CHECK(cuts_off(trace) || trace.end == End::stopped);
  for (; path_.size() > std::max(depth, branch_ + 1); path_.pop_back()) trees_.clear(path_.back().branches);
  path_.back().is_void = depth == branch_;
  if (trace.end == End::stopped) add_all(branch_);
}

// Takes down what stands in the trace and was not read yet.
void Dpor::read_on(const Trace& trace, Reading& reading) {
  auto& [i, choice, watch, depth] = reading;
  for (; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    for (; watch < trace.watches.size() && trace.watches[watch].event < i; ++watch) {
    }
    std::size_t watch_end = watch;
    for (; watch_end < trace.watches.size() && trace.watches[watch_end].event == i; ++watch_end) {
    }
    order_.append(event, event.forced || is_by_chance(via_of(event)),
                  std::span(trace.watches).subspan(watch, watch_end - watch));
    if (!is_visible(event.operation)) {
      if (depth > 0 && depth > branch_ && creates_thread(event)) path_[depth - 1].creates = true;
      continue;
    }
    static constexpr Point kNewPoint;  // to copy one is faster than to build one
    if (depth == path_.size()) path_.push_back(kNewPoint);
    path_[depth].creates = false;
    if (depth != branch_) fall_asleep(depth);
    Point& point = path_[depth];
    point.event = static_cast<std::uint32_t>(i);
    if (depth == 0) {
      point.key = first_key(trace);
    } else {
      const Point& before = path_[depth - 1];
      point.key = {before.step.option.value, ChoiceKind::thread, before.events_after};
    }
    read_choices(trace, point, choice, i);
    meet(depth);
    ++depth;
  }
}

// The choice before the first step is main's.
ChoiceKey Dpor::first_key(const Trace& trace) {
  ChoiceKey key;
  const Event& first = trace.events[0];
  if (first.thread == kMainThread) {
    key.index = first.index;
  } else if (!trace.choices.empty() && trace.choices[0].key.thread == kMainThread) {
    key.index = trace.choices[0].key.index;
  }
  return key;
}

void Dpor::read_choices(const Trace& trace, Point& point, std::size_t& choice, std::size_t at) {
  const Event& event = trace.events[at];
  point.step = {{event.thread, via_of(event)}, 0};
  if (&point != &path_[branch_]) point.options_begin = static_cast<std::uint32_t>(options_.size());
  options_.resize(point.options_begin);
  point.by_default = true;
  point.choice = kNoChoice;
  if (choice < trace.choices.size() && trace.choices[choice].key == point.key) {
    point.choice = static_cast<std::uint32_t>(choice);
    const ChoicePoint& made = trace.choices[choice++];
    std::span<const Option> options = trace.options_of(made);
    options_.insert(options_.end(), options.begin(), options.end());
    point.step.option = options[made.taken];
    point.by_default = made.taken == default_option(made, options, Base::nonpreemptive);
    point.free_to_leave = !made.running_enabled || made.yielded;
    point.cost_before = made.cost_before;
  } else {
    options_.push_back(point.step.option);
  }
  point.options_count = static_cast<std::uint32_t>(options_.size()) - point.options_begin;
  point.has_chances = std::any_of(options_.begin() + point.options_begin, options_.end(),
                                  [](const Option& option) { return option.via != Via::run; });
  if (algorithm_ == Algorithm::bounded) read_costs(point, trace);

  // What it chose in its middle has keys of its own thread, before that thread's next event.
  std::uint32_t end = event.index + 1;
  bool is_section = event.operation == Operation::atomic_section;
  point.inner_begin = static_cast<std::uint32_t>(choice);
  std::vector<Departure> choices;
  while (choice < trace.choices.size()) {
    const ChoicePoint& made = trace.choices[choice];
    if (made.key.kind == ChoiceKind::thread || made.key.thread != event.thread) break;
    if (made.key.index != (is_section ? end : event.index)) break;
    if (is_section) ++end;
    std::span<const Option> options = trace.options_of(made);
    if (made.taken != default_option(made, options, Base::nonpreemptive))
      choices.push_back({made.key, options[made.taken]});
    ++choice;
  }
  point.inner_count = static_cast<std::uint32_t>(choice) - point.inner_begin;
  point.step.choices = choices_.number_of(choices);
  point.events_after = end;
}

// Who sleeps at a point: who slept before the step that leads there, and was not woken by it.
void Dpor::fall_asleep(Index depth) {
  path_[depth].sleepers_begin = static_cast<std::uint32_t>(sleepers_.size());
  path_[depth].sleepers_count = 0;
  const Point& before = path_[depth - 1];
  if (algorithm_ == Algorithm::bounded || before.sleepers_count == 0) return;
  const StepView step = planned(depth - 1);
  for (std::size_t i = 0; i < before.sleepers_count; ++i) {
    const Sleeper& sleeper = sleepers_[before.sleepers_begin + i];
    if (commute(sleeper.planned, step)) sleepers_.push_back(sleeper);
  }
  path_[depth].sleepers_count = static_cast<std::uint32_t>(sleepers_.size()) - path_[depth].sleepers_begin;
}

// What the step could have been instead, by its thread's own will or by chance; and what could have happened
// by chance, and cannot any more.
void Dpor::put_alternatives(Index depth) {
  if (!path_[depth].has_chances) return;
  const Step taken = path_[depth].step;
  std::span<const Option> after;
  if (depth + 1 < path_.size()) after = options(depth + 1);
  for (std::size_t i = 0; i < path_[depth].options_count; ++i) {
    const Option option = options(depth)[i];
    if (option == taken.option) continue;
    bool is_lost = option.via != Via::run && std::find(after.begin(), after.end(), option) == after.end();
    if ((option.value == taken.option.value || is_lost) && !is_known(depth, {option, 0}))
      trees_.add_last(path_[depth].branches, unknown_step({option, 0}));
  }
}

// Those, and each choice in its middle made otherwise.
void Dpor::find_alternatives(Index depth, const Trace& trace) {
  if (algorithm_ == Algorithm::bounded) {
    put_chances(depth);
  } else {
    put_alternatives(depth);
  }
  // Each choice in the middle of the step: the ones before it as they were made, and another one here. Of an
  // alternative, those up to where it differs were put down with it.
  const Step taken = path_[depth].step;
  bool is_put_down = path_[depth].alternative && taken.choices != 0;
  const ChoiceKey differs = is_put_down ? choices_[taken.choices].back().key : ChoiceKey{};
  std::vector<Departure> choices;
  for (std::size_t i = 0; i < path_[depth].inner_count; ++i) {
    const ChoicePoint& made = trace.choices[path_[depth].inner_begin + i];
    std::span<const Option> options = trace.options_of(made);
    const std::uint16_t fallback = default_option(made, options, Base::nonpreemptive);
    for (std::size_t k = is_put_down ? 0 : options.size(); k-- > 0;) {
      if (k == made.taken) continue;
      if (k != fallback) choices.push_back({made.key, options[k]});
      Step step{taken.option, choices_.number_of(choices)};
      // First, so that all of them are run before any other thread is: that they sleep stands for the thread.
      trees_.bring_first(path_[depth].branches, step);
      PlannedStep other{step, order_.event(depth), path_[depth].events_after};
      other.alternative = true;
      Sequence alone;
      alone.begin(order_);
      alone.add(other, depth, false);
      if (!is_known(depth, step) && is_asleep(depth, alone, path_.back().stops) == StandsFor::none)
        trees_.add_first(path_[depth].branches, other);
      if (k != fallback) choices.pop_back();
    }
    if (made.taken != fallback) choices.push_back({made.key, options[made.taken]});
    if (made.key == differs) is_put_down = false;
  }
}

bool Dpor::is_known(Index depth, const Step& step) const {
  return path_[depth].step == step || sleeps(depth, step) || trees_.holds(path_[depth].branches, step);
}

bool Dpor::sleeps(Index depth, const Step& step) const {
  std::span<const Sleeper> asleep = sleepers(depth);
  return std::any_of(asleep.begin(), asleep.end(),
                     [&](const Sleeper& sleeper) { return sleeper.planned.step == step; });
}

bool Dpor::all_stand_for_all(Index depth) const {
  std::span<const Sleeper> asleep = sleepers(depth);
  return std::all_of(asleep.begin(), asleep.end(),
                     [](const Sleeper& sleeper) { return sleeper.stands_for_all(); });
}

void Dpor::reverse_races(Index late) {
  std::span<const Index> rivals = order_.rivals(late);
  if (algorithm_ == Algorithm::bounded) {
    find_conflicts(late);
    rivals = conflicts_;
    for (Index conflict : conflicts_) reverse(late, conflict);
  }
  for (Index rival : rivals) {
    reverse(late, reversal(order_, late, rival));
    if (ends_wait(order_.event(rival), order_.event(late))) put_timeout(late, rival);
  }
}

// While it waited for what its rival did, its time could have run out.
void Dpor::put_timeout(Index late, Index rival) {
  const Option timeout{order_.event(late).thread, Via::timeout};
  if (late >= path_.size() || path_[late].step.option.via != Via::run) return;
  const Index previous = order_.previous(late);
  const bool stood_there = previous == PartialOrder::kNone || previous < rival;
  if (stood_there && !is_option(rival, timeout)) return;
  put_down(late, rival, {timeout, 0});
}

void Dpor::reverse(Index late, const Reversal& turned) {
  if (turned.before == PartialOrder::kNone) return;
  if (!turned.certain) return reverse_unsure(late, turned.before);
  if (late < path_.size() && is_by_chance(path_[late].step.option.via)) {
    reverse_chance(late, turned.before);
  } else {
    reverse(late, turned.before);
  }
}

// Whether the late step could go on before its rival, or before what that depends on, cannot be told from
// events. So every thread is tried there, back to where it is seen that it could.
void Dpor::reverse_unsure(Index late, Index rival) {
  const Index previous = order_.previous(late);
  Option option{order_.event(late).thread, Via::run};
  if (late < path_.size()) option = path_[late].step.option;
  for (Index i = rival + 1; i-- > 0;) {
    if (order_.causes(i, late)) return;
    if (i != rival && !dependent(order_.event(i), order_.event(late))) continue;
    const bool stood_there = previous == PartialOrder::kNone || previous < i;
    if (stood_there && is_option(i, option)) return reverse(late, i);
    add_all(i);
  }
}

// A timeout, and the like. It is possible only while its thread waits, and may be so only while some thread
// can go on.
void Dpor::reverse_chance(Index late, Index rival) {
  const Index previous = order_.previous(late);
  const bool stood_there = previous == PartialOrder::kNone || previous < rival;
  if (!stood_there) {
    // It would wait there as well, but not for a lock that its rival took.
    const Event& event = order_.event(rival);
    if (!dependent(event, order_.event(late)) || lets_go(event)) reverse(late, rival);
  } else if (is_option(rival, path_[late].step.option)) {
    reverse(late, rival);
  } else if (is_by_chance(path_[rival].step.option.via)) {
    // Nobody could go on there; but with the last step of some thread undone, that one can.
    std::vector<bool> seen;
    for (Index i = rival; i-- > 0;) {
      const ThreadId thread = order_.event(i).thread;
      if (seen.size() <= thread) seen.resize(thread + std::size_t{1});
      if (seen[thread]) continue;
      seen[thread] = true;
      if (thread != order_.event(late).thread && !order_.causes(i, late)) reverse(late, i);
    }
  }
}

bool Dpor::is_option(Index depth, const Option& option) const {
  std::span<const Option> here = options(depth);
  return std::find(here.begin(), here.end(), option) != here.end();
}

// What ended the execution is no step, and came as soon as all that happens before it was there. Whichever
// step of that comes last is then the end, though they may be independent otherwise.
void Dpor::reverse_end(const Trace& trace) {
  const auto last = static_cast<Index>(path_.size() - 1);
  for (Index early : order_.last_known(trace.last)) {
    if (early == last || order_.ordered(early, last)) continue;
    path_[early].foe.add({order_.event(last).thread, false, order_.event(last).index});
    reverse(last, early);
  }
}

// What the threads that are left stand before was not run. It races nevertheless: a lock that is waited for
// in vain with whoever holds it, and everything with the end of the process or a bug, behind which nothing
// comes.
void Dpor::reverse_pending(const Trace& trace) {
  const auto last = static_cast<Index>(path_.size() - 1);
  for (const PendingOperation& pending : trace.pending) {
    // Who sleeps was woken by nobody, and could have been by nobody before.
    if (pending.sleeps || !is_visible(pending.operation)) continue;
    if (trace.end == End::stopped && pending.enabled) continue;  // it was run from elsewhere, and is asleep
    order_.append(event_of(pending));
    const auto late = static_cast<Index>(order_.size() - 1);
    const bool stops = path_[last].stops;
    if (stops && is_option(last, {pending.thread, pending.via})) {
      reverse(late, last);  // it does what is put down there, and its races are seen then
    } else if (stops && order_.causes(last, late)) {
      // It comes only behind the end.
    } else if (stops || !pending.enabled) {
      reverse(late, reversal_of_blocked(order_, late));
    }
    if (algorithm_ == Algorithm::bounded || !(stops || !pending.enabled)) reverse_races(late);
    order_.truncate(late);
  }
}

// The later step is to come before the earlier one.
void Dpor::reverse(Index late, Index early) {
  const Option option =
      late < path_.size() ? path_[late].step.option : Option{order_.event(late).thread, Via::run};
  put_down(late, early, {option, 0});
}

// What the late step is expected to do before the early one, if it is taken so.
PlannedStep Dpor::turned_round(Index late, Index early, const Step& taken) const {
  if (late >= path_.size()) return {taken, order_.event(late), 0};
  if (taken.option != path_[late].step.option) return unknown_step(taken);
  return {taken, as_reversed(order_, late, early), path_[late].events_after};
}

// Before the early step: what does not depend on it, and the late one, taken as is given.
void Dpor::put_down(Index late, Index early, const Step& taken) {
  if (algorithm_ == Algorithm::bounded) return put_within_bound(early, taken.option);
  // Mostly the step itself sleeps there, and nothing is needed to come to it.
  const Index previous = order_.previous(late);
  const bool is_first = previous == PartialOrder::kNone || previous < early;
  if (is_first && sleeps(early, taken) && !needs_some(early, late)) return;
  const bool is_whole = algorithm_ == Algorithm::optimal && !is_by_chance(taken.option.via);
  if (is_whole && early >= floor_ && is_put_down(early, late, taken)) return;
  find_needed(early, late);
  const PlannedStep turned = turned_round(late, early, taken);
  Sequence& sequence = sequence_;
  sequence.begin(order_);
  for (Index i = early + 1; i < path_.size(); ++i) {
    if (i == late) sequence.add_reversed(turned);
    if (!is_whole && i > late) break;
    // Nothing comes behind a step that ends the execution.
    if (i == late || path_[i].stops || order_.ordered(early, i)) continue;
    sequence.add(planned(i), i, i < late && needed_[i - early]);
  }
  if (late >= path_.size()) sequence.add_reversed(turned);
  const bool cut_off = path_.back().stops;
  const StandsFor asleep = is_asleep(early, sequence, cut_off);
  bool lasts = asleep == StandsFor::all;
  if (asleep != StandsFor::none) {
    // Nothing is needed.
  } else if (algorithm_ == Algorithm::persistent) {
    return add_thread(early, turned, sequence[0]);
  } else if (early < floor_) {
    lasts = hand_on(early, sequence, cut_off);
  } else {
    lasts = put_sequence(early, sequence);
  }
  if (!lasts && late < path_.size()) path_[late].races_anew = true;
}

// Whether the sequence stands in the wakeup tree there, step by step. Mostly it does where it was put down
// before, and need not be made. Up to the branch it is the same as for the executions before.
bool Dpor::is_put_down(Index early, Index late, const Step& taken) {
  Point& point = path_[early];
  WakeupTrees::Node node = late < branch_ ? WakeupTrees::kNone : point.walked;
  Index i = node == WakeupTrees::kNone ? early + 1 : point.walked_to;
  WakeupTrees::Branches branches = node == WakeupTrees::kNone ? point.branches : trees_.below(node);
  const auto end = std::max(static_cast<Index>(path_.size()), late + 1);
  for (; i < end && !branches.empty(); ++i) {
    if (i == branch_ && late >= branch_) {
      point.walked = node;
      point.walked_to = i;
    }
    if (i != late && (path_[i].stops || order_.ordered(early, i))) continue;
    node = trees_.find(branches, i == late ? taken : path_[i].step);
    if (node == WakeupTrees::kNone) return false;
    branches = trees_.below(node);
    if (i == late || branches.empty()) trees_.leave_to(node);
    if (branches.empty()) return true;  // whatever follows is run anyway
  }
  return false;
}

// Where it is not there yet. It is used up. behind: of a part, the step that it is what came below
// (WakeupTrees::insert()). Whether what is there stands for all that have the race.
bool Dpor::put_sequence(Index depth, Sequence& sequence, const StepView* behind) {
  WakeupTrees::Branches& branches = path_[depth].branches;
  if (algorithm_ == Algorithm::optimal) return trees_.insert(branches, sequence, behind);
  if (begins_with(branches, sequence) == StandsFor::none) trees_.add_last(branches, sequence[0]);
  return true;
}

// Whether the late step, were it to come before the early one, needs any that does not depend on that.
bool Dpor::needs_some(Index early, Index late) const {
  const StepView last{{}, order_.event(late)};
  for (Index i = std::min(late, static_cast<Index>(path_.size())); --i > early;) {
    if (!order_.ordered(early, i) && (order_.causes(i, late) || !commute(planned(i), last))) return true;
  }
  return false;
}

// Which of those it needs.
void Dpor::find_needed(Index early, Index late) {
  needed_.assign(late - early, false);
  const StepView last{{}, order_.event(late)};
  past_.assign_causes_of(order_, late);
  for (Index i = std::min(late, static_cast<Index>(path_.size())); --i > early;) {
    if (order_.ordered(early, i)) continue;
    if (!past_.has(order_, i)) {
      if (commute(planned(i), last)) continue;
      past_.add(order_, i);
    }
    needed_[i - early] = true;
  }
}

// Whether to run the sequence comes to the same as to begin with a step that was run there.
Dpor::StandsFor Dpor::comes_to(const Sequence& sequence, const StepView& run, bool stops, bool is_whole) {
  std::size_t at = Sequence::kNone;
  if (!sequence.may_begin_with(run, at)) return StandsFor::none;
  if (at != Sequence::kNone) return sequence.is_common(at) ? StandsFor::all : StandsFor::this_one;
  // That the sequence can go on behind a step that nothing came behind is not known; nor is what else would
  // have come, where not all of it is here, or the execution was cut off.
  return !stops && is_whole ? StandsFor::this_one : StandsFor::none;
}

// Whether to run the sequence there would come to the same as what was run from there before.
Dpor::StandsFor Dpor::is_asleep(Index depth, const Sequence& sequence, bool cut_off) const {
  StandsFor most = StandsFor::none;
  if (algorithm_ == Algorithm::bounded) return most;
  const bool is_whole = algorithm_ == Algorithm::optimal && !cut_off;
  for (const Sleeper& sleeper : sleepers(depth)) {
    most = std::max(most,
                    comes_to(sequence, sleeper.planned, sleeper.stops, is_whole && sleeper.stands_for_all()));
    if (most == StandsFor::all) break;
  }
  return most;
}

// Whether the sequence holds a step that one of the branches begins with, and could begin with it.
Dpor::StandsFor Dpor::begins_with(const WakeupTrees::Branches& branches, const Sequence& sequence) const {
  StandsFor most = StandsFor::none;
  for (auto node = branches.first; node != WakeupTrees::kNone; node = trees_.next(node))
    most = std::max(most, comes_to(sequence, trees_.step(node), false, false));
  return most;
}

// The thread of the step that is turned round, or, where that sleeps, one that begins what leads there.
void Dpor::add_thread(Index depth, const StepView& turned, const StepView& first) {
  if (!is_option(depth, turned.step.option)) return add_all(depth);
  if (trees_.holds(path_[depth].branches, turned.step)) return;
  const StepView& added = is_known(depth, turned.step) ? first : turned;
  if (!is_known(depth, added.step)) add_step(depth, added);
}

void Dpor::add_all(Index depth) {
  if (algorithm_ == Algorithm::bounded) return put_within_bound(depth, {kNoThread, Via::run});
  for (std::size_t i = 0; i < path_[depth].options_count; ++i) {
    Step step{options(depth)[i], 0};
    if (!is_known(depth, step)) add_step(depth, unknown_step(step));
  }
}

void Dpor::add_step(Index depth, const StepView& step) {
  trees_.add_last(path_[depth].branches, step);
  if (depth < floor_) forwarded_.add(depth, step);
}

StepView Dpor::planned(Index depth) const {
  const Point& point = path_[depth];
  StepView view{point.step, order_.event(depth)};
  view.events_after = point.events_after;
  view.foe = point.foe;
  view.creates = point.creates;
  return view;
}

std::span<const Option> Dpor::options(Index depth) const {
  return std::span(options_).subspan(path_[depth].options_begin, path_[depth].options_count);
}

std::span<const Dpor::Sleeper> Dpor::sleepers(Index depth) const {
  if (depth >= path_.size()) return {};
  return std::span(sleepers_).subspan(path_[depth].sleepers_begin, path_[depth].sleepers_count);
}

Guarantee Dpor::guarantee() const {
  Guarantee guarantee;
  guarantee.exhausted = done_;
  guarantee.complete = done_ && !excluded_;
  if (algorithm_ == Algorithm::bounded)
    guarantee.bounds.push_back({Base::nonpreemptive, limit_, completed_, Covers::local_states});
  return guarantee;
}

// Knuth's estimate along the path: the branches of a point weigh the same, as many of them as are known now.
// More may become known while those below are run, so that it is too high at first; it does not go back.
Progress Dpor::along_path() const {
  Progress progress;
  double done = 1;
  for (std::size_t depth = path_.size(); depth-- > floor_;) {
    std::uint32_t left = 0;
    const Point& point = path_[depth];
    for (auto node = point.branches.first; node != WakeupTrees::kNone; node = trees_.next(node)) ++left;
    progress.waiting += left;
    done = (point.branches_run + done) / (point.branches_run + 1.0 + left);
  }
  progress.done = begun_ ? done : 0;
  return progress;
}

// What is with others is as if done on the path, and is none of this one's share.
Progress Dpor::progress() {
  constexpr double kNearlyAll = 1 - 1e-9;
  Progress progress = along_path();
  if (algorithm_ == Algorithm::bounded) progress.level = bound_;
  progress.share = share_.whole - share_.given;
  const double most = done_ ? progress.share : progress.share * (progress.waiting > 0 ? kNearlyAll : 1);
  if (done_) progress_ = most;
  progress_ = std::min(std::max(progress_, share_.of(*progress.done) - share_.given), most);
  progress.done = progress_;
  return progress;
}

// All that is kept between two executions, as it lies in memory.
void Dpor::save(ByteWriter& out, const ThreadNames& names) const {
  names.save(out);
  order_.save(out);
  trees_.save(out);
  out.put_all(path_);
  out.put_all(options_);
  out.put_all(costs_);
  out.put_all(sleepers_);
  choices_.save(out);
  out.put(branch_);
  out.put(begun_);
  out.put(done_);
  out.put(blocked_);
  out.put(progress_);
  for (double part : {share_.whole, share_.given, share_.begun}) out.put(part);
  out.put(bound_);
  out.put(excluded_);
  out.put(completed_.has_value());
  out.put(completed_.value_or(0));
  save_shared(out);
}

bool Dpor::load(ByteReader& in, ThreadNames& names) {
  const bool has_same_ids = names.load(in);
  order_.load(in);
  trees_.load(in);
  in.get_all(path_);
  in.get_all(options_);
  in.get_all(costs_);
  in.get_all(sleepers_);
  choices_.load(in);
  branch_ = in.get<Index>();
  begun_ = in.get<bool>();
  done_ = in.get<bool>();
  blocked_ = in.get<std::uint64_t>();
  progress_ = in.get<double>();
  for (double* part : {&share_.whole, &share_.given, &share_.begun}) *part = in.get<double>();
  bound_ = in.get<std::uint32_t>();
  excluded_ = in.get<bool>();
  const bool has_completed = in.get<bool>();
  completed_ = in.get<std::uint32_t>();
  if (!has_completed) completed_.reset();
  load_shared(in);
  return has_same_ids && in.ok();
}

}  // namespace thrum
