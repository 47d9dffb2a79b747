// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/dpor.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum {

namespace {

// Whether an execution ended though threads could go on.
bool cuts_off(const Trace& trace) {
  if (trace.end == End::assumption || is_cut_by_limit(trace.end)) return true;
  return trace.end == End::bug && trace.failure.kind != BugKind::deadlock &&
         trace.failure.kind != BugKind::livelock;
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
    } else if (floor_ > 0 || !begins_again()) {
      done_ = true;
      THRUM_CHECK(floor_ > 0 || trees_.live() == 0);  // all that was inserted was run
      if (floor_ > 0) keep_reports_only();
      return false;
    }
  }
  begun_ = true;
  for (Point& point : path_) {
    if (point.walked_to > branch_) point.walked = WakeupTrees::kNone;
    if (&point == &path_[branch_]) known_departures_ = plan.departures.size();
    if (!point.by_default) plan.departures.emplace_back(point.key, point.step.option);
    const std::vector<Departure>& choices = path_.choices()[point.step.choices];
    plan.departures.insert(plan.departures.end(), choices.begin(), choices.end());
  }
  path_.end_plan();
  asleep_.set(path_.sleepers(branch_), 0);
  return true;
}

// The last point's step was run. Whether another branch is left there.
bool Dpor::has_branch_left() {
  Point& point = path_.back();
  if (point.branches.empty()) return false;
  end_subtree();
  return !point.branches.empty();
}

// It sleeps from now on.
void Dpor::end_subtree() {
  Point& point = path_.back();
  if (point.is_void) return;
  const auto last = static_cast<Index>(path_.size() - 1);
  Sleeper& run = path_.add_sleeper();
  path_.planned(last).keep_in(run.planned);
  run.stops = point.stops;
  run.anew = point.anew;
  run.weak = last < shared_;
  // A step that chooses is run otherwise too (find_alternatives()), though some branch may be covered by
  // that.
  if (algorithm_ == Algorithm::optimal && point.inner_count != 0 && !point.stops && !has_weak(last))
    trees_.drop_asleep(point.branches, run.planned);
}

void Dpor::take_branch() {
  branch_ = static_cast<Index>(path_.size() - 1);
  ++path_.back().branches_run;
  path_.order().truncate(branch_);
  WakeupTrees::Node node = trees_.take_first(path_.back().branches);
  path_.plan_step(trees_.step(node));
  if (path_[branch_].anew) wake_all(branch_);
  while (true) {
    WakeupTrees::Branches branches = trees_.below(node);
    trees_.give_back(node);
    if (branches.empty()) return;
    node = trees_.take_first(branches);
    path_.push_planned(trees_.step(node)).branches = branches;
  }
}

// Those that were run there commute with nothing from now on.
void Dpor::wake_all(Index depth) {
  for (Sleeper& sleeper : path_.sleepers(depth)) sleeper.planned.foe.any = true;
}

// Takes back the last point, and those before it up to one that may have a branch left.
void Dpor::backtrack() {
  auto depth = static_cast<Index>(path_.size() - 1);
  while (depth > first_own() && path_[depth - 1].branches.empty()) --depth;
  truncate(depth);
}

void Dpor::truncate(Index depth) {
  path_.truncate(depth);
  shared_ = std::min(shared_, depth);
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
  recheck_races();
  for (Index step = branch_; step < path_.size(); ++step) reverse_races(step);
  if (path_.back().stops) reverse_end(trace);
  reverse_pending(trace);
}

// Takes down what the execution did from the branch on.
void Dpor::read(const Trace& trace) {
  // Of another recording the choices are not those of the steps.
  THRUM_CHECK(branch_ == 0 || path_[branch_].options_count <= 1 || trace.choices.empty() ||
              trace.choices[0].key == path_[branch_].key);
  Path::Reading reading{trace.branch, 0, 0, branch_};
  while (path_.read_next(trace, reading, branch_)) {
  }
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
      run_anew(branch_, path_.planned(branch_).kept(), path_[branch_].anew);
  }
}

// What the step could have been instead, by its thread's own will or by chance; and what could have happened
// by chance, and cannot any more.
void Dpor::add_alternatives(Index depth) {
  if (!path_[depth].has_chances) return;
  const Step taken = path_[depth].step;
  std::span<const Option> after;
  if (depth + 1 < path_.size()) after = path_.options(depth + 1);
  for (std::size_t i = 0; i < path_[depth].options_count; ++i) {
    const Option option = path_.options(depth)[i];
    if (option == taken.option) continue;
    bool is_lost = option.via != Via::run && std::find(after.begin(), after.end(), option) == after.end();
    if ((option.value == taken.option.value || is_lost) && !is_known(depth, {option, 0}))
      trees_.add_last(path_[depth].branches, unknown_step({option, 0}));
  }
}

// Those, and each choice in its middle made otherwise.
void Dpor::find_alternatives(Index depth, const Trace& trace) {
  add_alternatives(depth);
  if (path_[depth].inner_count == 0) return;
  // Each choice in the middle of the step: the ones before it as they were made, and another one here. Of an
  // alternative, those up to where it differs were added with it.
  const Step taken = path_[depth].step;
  bool is_added = path_[depth].alternative && taken.choices != 0;
  const ChoiceKey differs = is_added ? path_.choices()[taken.choices].back().key : ChoiceKey{};
  std::vector<Departure> choices;
  for (std::size_t i = 0; i < path_[depth].inner_count; ++i) {
    const ChoicePoint& made = trace.choices[path_[depth].inner_begin + i];
    std::span<const Option> options = trace.options_of(made);
    const std::uint16_t fallback = default_option(made, options, Base::nonpreemptive);
    for (std::size_t k = is_added ? 0 : options.size(); k-- > 0;) {
      if (k == made.taken) continue;
      if (k != fallback) choices.push_back({made.key, options[k]});
      Step step{taken.option, path_.choices().number_of(choices)};
      // First, so that all of them are run before any other thread is: when all sleep, the thread is covered.
      trees_.bring_first(path_[depth].branches, step);
      PlannedStep other{step, path_.order().event(depth), path_[depth].events_after};
      other.alternative = true;
      Sequence alone;
      alone.begin(path_.order());
      alone.add(other, depth, false);
      if (!is_known(depth, step) && cover_by_sleepers(depth, alone, path_.back().stops) == Cover::none)
        trees_.add_first(path_[depth].branches, other);
      if (k != fallback) choices.pop_back();
    }
    if (made.taken != fallback) choices.push_back({made.key, options[made.taken]});
    if (made.key == differs) is_added = false;
  }
}

bool Dpor::is_known(Index depth, const Step& step) const {
  return path_[depth].step == step || path_.sleeps(depth, step) || trees_.holds(path_[depth].branches, step);
}

bool Dpor::has_weak(Index depth) const {
  std::span<const Sleeper> asleep = path_.sleepers(depth);
  return std::any_of(asleep.begin(), asleep.end(), [](const Sleeper& sleeper) { return sleeper.weak; });
}

Guarantee Dpor::guarantee() const {
  Guarantee guarantee;
  guarantee.exhausted = guarantee.complete = done_;
  return guarantee;
}

// Knuth's estimate along the path: the branches of a point weigh the same, as many of them as are known now.
// More may become known while those below are run, so that it is too high at first; it does not go back.
Progress Dpor::along_path() const {
  Progress progress;
  double done = 1;
  for (Index depth = path_.size(); depth-- > floor_;) {
    std::uint32_t left = 0;
    const Point& point = path_[depth];
    for (auto node = point.branches.first; node != WakeupTrees::kNone; node = trees_.next(node)) ++left;
    progress.waiting += left;
    done = (point.branches_run + done) / (point.branches_run + 1.0 + left);
  }
  progress.done = begun_ ? done : 0;
  return progress;
}

// What delegates explore is as if done on the path, and is none of this one's share.
Progress Dpor::progress() {
  constexpr double kNearlyAll = 1 - 1e-9;
  Progress progress = along_path();
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
  path_.save(out);
  trees_.save(out);
  out.put_all(provisos_);
  out.put(branch_);
  out.put(begun_);
  out.put(done_);
  out.put(blocked_);
  out.put(progress_);
  for (double part : {share_.whole, share_.given, share_.begun}) out.put(part);
  out.put(lost_);
  save_shared(out);
}

bool Dpor::load(ByteReader& in, ThreadNames& names) {
  const bool has_same_ids = names.load(in);
  path_.load(in);
  trees_.load(in);
  in.get_all(provisos_);
  branch_ = in.get<Index>();
  begun_ = in.get<bool>();
  done_ = in.get<bool>();
  blocked_ = in.get<std::uint64_t>();
  progress_ = in.get<double>();
  for (double* part : {&share_.whole, &share_.given, &share_.begun}) *part = in.get<double>();
  lost_ = in.get<bool>();
  load_shared(in);
  return has_same_ids && in.ok();
}

}  // namespace thrum
