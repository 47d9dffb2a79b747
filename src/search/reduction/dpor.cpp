// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/dpor.hpp"

#include <algorithm>

#include "order/reversal.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

bool creates_thread(const Event& event) {
  return event.operation == Operation::thread_create && event.object != 0;
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
      THRUM_CHECK(floor_ > 0 || trees_.live() == 0);  // all that was put down was run
      if (floor_ > 0) keep_reports_only();
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
  planned_ = static_cast<Index>(path_.size());
  seen_ = 0;
  if (algorithm_ == Algorithm::bounded || path_.empty()) {
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
  if (algorithm_ != Algorithm::bounded && point.is_void) return true;
  const auto last = static_cast<Index>(path_.size() - 1);
  // Nothing sleeps within a bound; but what was run is known, also where it came to nothing.
  Sleeper& run = sleepers_.emplace_back();
  if (algorithm_ == Algorithm::bounded) {
    run.planned.step = point.step;
  } else {
    planned(last).keep_in(run.planned);
  }
  run.stops = point.stops;
  run.anew = point.anew;
  run.weak = last < shared_;
  ++point.sleepers_count;
  // A step that chooses is run otherwise too (find_alternatives()), though what waits may come to the same.
  if (algorithm_ == Algorithm::optimal && point.inner_count != 0 && !point.stops && !has_weak(last))
    trees_.drop_asleep(point.branches, run.planned);
  return !point.branches.empty();
}

void Dpor::take_branch() {
  branch_ = static_cast<Index>(path_.size() - 1);
  ++path_.back().branches_run;
  order_.truncate(branch_);
  WakeupTrees::Node node = trees_.take_first(path_.back().branches);
  plan_step(path_.back(), trees_.step(node));
  if (path_[branch_].anew) wake_all(branch_);
  while (true) {
    WakeupTrees::Branches branches = trees_.below(node);
    trees_.give_back(node);
    if (branches.empty()) return;
    node = trees_.take_first(branches);
    const Point& before = path_.back();
    Point point;
    point.key = {before.step.option.value, ChoiceKind::thread, before.events_after};
    point.branches = branches;
    plan_step(point, trees_.step(node));
    path_.push_back(point);
  }
}

void Dpor::plan_step(Point& point, const PlannedStep& planned) {
  point.step = planned.step;
  point.by_default = false;
  point.stops = point.is_void = false;
  point.foe = {};
  point.anew = planned.anew;
  point.events_after = planned.events_after;
  point.alternative = planned.alternative;
  point.is_guess =
      planned.event.operation == Operation::process_exit || is_by_chance(planned.step.option.via);
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
  if (depth == path_.size()) return;
  order_.truncate(depth);
  options_.resize(path_[depth].options_begin);
  if (algorithm_ == Algorithm::bounded) costs_.resize(path_[depth].options_begin);
  sleepers_.resize(path_[depth].sleepers_begin);
  path_.resize(depth);
  shared_ = std::min(shared_, depth);
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
  reverse_races_anew();
  for (Index step = branch_; step < path_.size(); ++step) reverse_races(step);
  if (path_.back().stops) reverse_end(trace);
  reverse_pending(trace);
}

// Takes down what the execution did from the branch on.
void Dpor::read(const Trace& trace) {
  // Of another recording the choices are not those of the steps.
  THRUM_CHECK(branch_ == 0 || path_[branch_].options_count <= 1 || trace.choices.empty() ||
              trace.choices[0].key == path_[branch_].key);
  Reading reading{trace.branch, 0, 0, branch_};
  read_on(trace, reading);
  const Index depth = reading.depth;
  // A step that came earlier than before may have ended it, or one could not be taken after all. What was
  // planned behind it is none of its future.
  if (depth == path_.size()) return;
  THRUM_CHECK(cuts_off(trace) || trace.end == End::stopped);
  const bool is_guess = path_[depth].is_guess;
  bool is_left = false;  // something that was to be run behind what could be
  for (; path_.size() > std::max(depth, branch_ + 1); path_.pop_back()) {
    is_left = is_left || !path_.back().branches.empty();
    trees_.clear(path_.back().branches);
  }
  path_.back().is_void = depth == branch_;
  if (trace.end == End::stopped) {
    lost_ = lost_ || !is_guess;
    add_all(branch_);
    if (is_left && depth > branch_ && algorithm_ == Algorithm::optimal)
      run_anew(branch_, planned(branch_).kept(), path_[branch_].anew);
  }
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

// Who sleeps at a point: who slept before the step that leads there, and was not woken by it. Nobody should
// behind the last step of a plan, since that is or holds what does not commute with whoever slept. Where it
// was only expected not to, the sleepers' races may have been left to this plan: they stand for nothing that
// merely commutes with them.
void Dpor::fall_asleep(Index depth) {
  path_[depth].sleepers_begin = static_cast<std::uint32_t>(sleepers_.size());
  path_[depth].sleepers_count = 0;
  const Point& before = path_[depth - 1];
  if (algorithm_ == Algorithm::bounded || before.sleepers_count == 0) return;
  const StepView step = planned(depth - 1);
  for (std::size_t i = 0; i < before.sleepers_count; ++i) {
    const Sleeper& sleeper = sleepers_[before.sleepers_begin + i];
    if (!commute(sleeper.planned, step)) continue;
    sleepers_.push_back(sleeper);
    if (depth == planned_) sleepers_.back().weak = true;
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
  if (path_[depth].inner_count == 0) return;
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

bool Dpor::has_weak(Index depth) const {
  std::span<const Sleeper> asleep = sleepers(depth);
  return std::any_of(asleep.begin(), asleep.end(), [](const Sleeper& sleeper) { return sleeper.weak; });
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
  out.put_all(provisos_);
  choices_.save(out);
  out.put(branch_);
  out.put(begun_);
  out.put(done_);
  out.put(blocked_);
  out.put(progress_);
  for (double part : {share_.whole, share_.given, share_.begun}) out.put(part);
  out.put(bound_);
  out.put(excluded_);
  out.put(lost_);
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
  in.get_all(provisos_);
  choices_.load(in);
  branch_ = in.get<Index>();
  begun_ = in.get<bool>();
  done_ = in.get<bool>();
  blocked_ = in.get<std::uint64_t>();
  progress_ = in.get<double>();
  for (double* part : {&share_.whole, &share_.given, &share_.begun}) *part = in.get<double>();
  bound_ = in.get<std::uint32_t>();
  excluded_ = in.get<bool>();
  lost_ = in.get<bool>();
  const bool has_completed = in.get<bool>();
  completed_ = in.get<std::uint32_t>();
  if (!has_completed) completed_.reset();
  load_shared(in);
  return has_same_ids && in.ok();
}

}  // namespace thrum
