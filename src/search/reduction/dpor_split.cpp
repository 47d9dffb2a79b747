// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several workers share a reduced search.
//
// The idea. A search delegates the subtree below the step that it runs at some point of its path: another
// worker, the delegate, explores that subtree. The step falls asleep at its point, as if its subtree was
// explored, and the search goes on with the next branch of that point.
//
// The delegate finds races whose reversals have to be run from that point or from one above. These points
// belong to the search, so the delegate only reports the point and the initials of the reversal, unless it
// may begin with a step that waited there when the subtree was delegated, or was reported before. When the
// delegate is done it is merged: the search runs one of the initials there, unless it has explored the
// subtree of one of them, or will. Until then it must not leave the point, and may have to wait.
//
// Why no class is missed. Which initial is run, and in which order the branches of a point are explored, does
// not matter to Algorithm 1 (source sets): it asks only that one of the initials of each reversal is explored
// at some time, or sleeps. In Algorithm 2 a sleeping step also covers a reversal that does not contain the
// step and merely commutes with it, since all such sequences were inserted below the step. That rests on
// every reversal being inserted whole and before the next branch begins, which is not so where a subtree is
// delegated. So the steps that sleep at a point when a subtree is delegated there or below, and all that fall
// asleep there later, are weak (Sleeper::weak): there and further down they cover only reversals that contain
// them, as in Algorithm 1. In the delegate, steps that slept before cover what they covered: their subtrees
// were explored before the delegated one. But its points remain what they are (Point::is_shared). The price
// is redundant executions (docs/reduction.md).
//
// Tested by tests/oracle/reduction_test.cpp (ReductionsCanBeShared) and shared_search_test.cpp.
#include <algorithm>
#include <utility>

#include "search/reduction/dpor.hpp"
#include "support/check.hpp"

namespace thrum {

// The first point that the search may leave: those before belong to another search, or wait for a delegate.
Dpor::Index Dpor::first_own() const { return delegated_.empty() ? floor_ : delegated_.back().depth + 1; }

// The subtree is that of the shallowest point with a branch left, so that it is large.
std::unique_ptr<Strategy> Dpor::split() {
  if (!begun_ || done_ || is_open_) return nullptr;
  auto has_branches = [](const Point& point) { return !point.branches.empty(); };
  const Index first = delegated_.empty() ? floor_ : delegated_.back().depth;
  if (path_.size() <= first) return nullptr;
  const auto shallowest = std::find_if(path_.begin() + first, path_.end(), has_branches);
  if (shallowest == path_.end() || std::none_of(shallowest + 1, path_.end(), has_branches)) return nullptr;
  const auto depth = static_cast<Index>(shallowest - path_.begin());

  runs_none_twice_ = false;
  const double before = *along_path().done;
  // What is large and is not for the delegate is not copied.
  WakeupTrees trees = std::exchange(trees_, WakeupTrees());
  std::unique_ptr<Dpor> delegate = copy();
  trees_ = std::move(trees);
  delegate->reports_.clear();
  for (Index i = 0; i < path_.size(); ++i) {
    Point& point = delegate->path_[i];
    point.branches = {};
    if (i > depth) point.branches = delegate->trees_.take_over(trees_, path_[i].branches);
    // The steps that the delegate need not report.
    if (i != depth && i >= floor_) continue;
    for (auto node = path_[i].branches.first; node != WakeupTrees::kNone; node = trees_.next(node))
      delegate->trees_.add_last(point.branches, trees_.step(node));
  }
  delegate->floor_ = depth + 1;
  delegate->of_ = delegated_.emplace_back(Delegation{depth, path_[depth].sleepers_count});
  delegate->delegated_.clear();
  delegate->progress_ = 0;

  path_.truncate(depth + 1);
  path_.share();
  const double given = share_.of(*along_path().done) - share_.of(before);
  share_.given += given;
  delegate->share_ = {given, 0, *delegate->along_path().done};
  return delegate;
}

void Dpor::merge(Strategy& other) {
  auto& delegate = dynamic_cast<Dpor&>(other);
  THRUM_CHECK(delegate.done_ && delegate.delegated_.empty());
  const Delegation of = delegate.of_;
  const auto found = std::find(delegated_.begin(), delegated_.end(), of);
  THRUM_CHECK(found != delegated_.end());
  delegated_.erase(found);
  waits_ = false;
  share_.given -= delegate.share_.whole;
  lost_ = lost_ || delegate.lost_;
  conditions_.merge(delegate.conditions_);
  for (Index depth = 0; depth < of.depth; ++depth) path_[depth].foe.add(delegate.path_[depth].foe);
  take_foe(delegate.path_[of.depth].foe, of);
  for (std::size_t i = 0; i < delegate.reports_.size();) {
    const Index depth = delegate.reports_[i].depth;
    std::vector<StepView> steps;
    do {
      StepView& step = steps.emplace_back(delegate.reports_[i].step);
      step.step.choices = path_.choices().number_of(delegate.path_.choices()[step.step.choices]);
    } while (++i < delegate.reports_.size() && !delegate.reports_[i].is_first);
    accept(depth, steps);
  }
}

// Steps that ran with the delegated step asleep, and should not have, run again.
void Dpor::take_foe(const Foe& foe, const Delegation& of) {
  Point& point = path_[of.depth];
  if (of.sleeper == point.sleepers_count) return point.foe.add(foe);  // no other step was run there since
  std::span<Sleeper> sleepers = path_.sleepers(of.depth);
  Sleeper& sleeper = sleepers[of.sleeper];
  const Foe before = sleeper.planned.foe;
  sleeper.planned.foe.add(foe);
  if (sleeper.planned.foe == before) return;
  for (Sleeper& later : sleepers.subspan(of.sleeper + 1))
    run_again(of.depth, later.planned, later.planned.awake);
  if (!point.is_void) run_again(of.depth, path_.planned(of.depth).kept(), point.awake);
}

// One of the steps is to be run there. The first one is what a delegate would choose.
void Dpor::accept(Index depth, std::span<const StepView> steps) {
  for (const StepView& step : steps) {
    if (is_explored(depth, step, &step == steps.data())) return;
  }
  trees_.add_last(path_[depth].branches, steps[0]);
  if (depth < floor_) add_report(depth, steps);
}

// Whether the subtree of the step was explored there, or will be. Another one than the first of a report may
// be known not to commute with something that the delegate took to commute with it.
bool Dpor::is_explored(Index depth, const StepView& step, bool is_first) const {
  const Point& point = path_[depth];
  auto is_same = [&](const Step& other, const Foe& foe) {
    return other == step.step && (is_first || foe.thread == kNoThread || foe == step.foe);
  };
  if (!point.is_void && is_same(point.step, point.foe)) return true;
  for (const Sleeper& sleeper : path_.sleepers(depth)) {
    if (is_same(sleeper.planned.step, sleeper.planned.foe)) return true;
  }
  const WakeupTrees::Node node = trees_.find(point.branches, step.step);
  return node != WakeupTrees::kNone && is_same(step.step, trees_.step(node).foe);
}

}  // namespace thrum
