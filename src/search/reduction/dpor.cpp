// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/dpor.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum {

bool Dpor::next(Plan& plan) {
  if (done_) return false;
  trees_.share();
  plan.policy = Policy{};
  plan.policy.rounds = rounds_;
  plan.departures.clear();
  repeats_ = is_open_;
  if (!attempts_.empty()) {
    known_departures_ = plan_attempt(attempts_.back(), plan);
    asleep_.set({}, 0);
    return true;
  }
  if (is_open_) {
    path_.unread(branch_);
  } else if (begun_) {
    waits_ = false;
    while (path_.size() > floor_ && !has_branch_left()) {
      waits_ = path_.size() == first_own();
      if (waits_) return false;
      backtrack();
    }
    if (path_.size() > floor_) {
      take_branch();
    } else if (floor_ == 0 && begins_again()) {
      branch_ = 0;
      known_departures_ = 0;
      progress_ = 0;
      share_ = {};
    } else {
      done_ = true;
      THRUM_CHECK(floor_ > 0 || trees_.live() == 0);  // all that was inserted was run
      trees_ = WakeupTrees();  // a delegate that is done is small when it is sent as bytes
      if (floor_ > 0) path_.keep_points_only();
      provisos_.clear();
      return false;
    }
  }
  begun_ = true;
  plan_steps(plan, 0, branch_);
  known_departures_ = plan.departures.size();
  plan_steps(plan, branch_, path_.size());
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

void Dpor::end_subtree() {
  Point& point = path_.back();
  if (point.is_void) return;
  const auto last = static_cast<Index>(path_.size() - 1);
  Sleeper& run = path_.add_sleeper();
  run.planned = path_.planned(last).kept();
  run.stops = point.stops;
  run.planned.awake = point.awake;
  run.weak = point.is_shared;
  // A step that chooses is run otherwise too, which may cover some branch.
  std::span<const Sleeper> asleep = path_.sleepers(last);
  if (point.inner_count != 0 && !point.stops &&
      std::none_of(asleep.begin(), asleep.end(), [](const Sleeper& sleeper) { return sleeper.weak; }))
    trees_.drop_asleep(point.branches, run.planned);
}

void Dpor::take_branch() {
  branch_ = static_cast<Index>(path_.size() - 1);
  ++path_.back().branches_run;
  path_.order().truncate(branch_);
  WakeupTrees::Node node = trees_.take_first(path_.back().branches);
  path_.plan_step(trees_.step(node));
  // Those that were run there commute with nothing from now on.
  if (path_[branch_].awake) {
    for (Sleeper& sleeper : path_.sleepers(branch_)) sleeper.planned.foe.any = true;
  }
  while (true) {
    WakeupTrees::Branches branches = trees_.below(node);
    trees_.give_back(node);
    if (branches.empty()) return;
    node = trees_.take_first(branches);
    path_.push_planned(trees_.step(node)).branches = branches;
  }
}

// Takes back the last point, and those before it up to one that may have a branch left.
void Dpor::backtrack() {
  auto depth = static_cast<Index>(path_.size() - 1);
  while (depth > first_own() && path_[depth - 1].branches.empty()) --depth;
  path_.truncate(depth);
}

void Dpor::learn(const Plan&, const Trace& trace) {
  THRUM_CHECK(!trace.begins_again);  // that is for whoever holds the search
  if (!attempts_.empty()) {
    lost_ = !learn_attempt(attempts_.back(), trace) || lost_;
    attempts_.pop_back();
    return;
  }
  learn_conditions(trace);
  read(trace);
  if (path_.empty() || path_.back().is_void) return;
  attempts_ = find_attempts(trace, branch_);
  is_open_ = !attempts_.empty();
  if (!is_open_) find_branches(trace, branch_);
}

// Reads what the execution did from the branch on.
void Dpor::read(const Trace& trace) {
  // Of another recording the choices are not those of the steps.
  THRUM_CHECK(branch_ == 0 || path_[branch_].options_count <= 1 || trace.choices.empty() ||
              trace.choices[0].key == path_[branch_].key);
  Path::Reading reading{trace.branch, 0, branch_};
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
    if (is_left && depth > branch_) run_again(branch_, path_.planned(branch_).kept(), path_[branch_].awake);
  }
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

std::optional<double> Dpor::estimate() const {
  const double own = share_.whole - share_.given;
  return own > 0 ? std::clamp((share_.of(*along_path().done) - share_.given) / own, 0.0, 1.0) : 1;
}

void Dpor::save(ByteWriter& out, const ThreadNames& names) const {
  names.save(out);
  save_members(out, members(*this));
}

bool Dpor::load(ByteReader& in, ThreadNames& names) {
  const bool has_same_ids = names.load(in);
  load_members(in, members(*this));
  return has_same_ids && in.ok();
}

}  // namespace thrum
