// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several workers share a reduced search.
//
// The idea. A search delegates the subtree below the step that it runs at some point of its path: another
// worker, the delegate, explores that subtree. The search puts the step into the sleep set of its point, as
// if the subtree was explored, and goes on with the next branch of that point.
//
// Reports. The delegate finds races whose reversals have to be run from that point or from one above. These
// points belong to the search, so the delegate only reports such a reversal: the point, and the initials of
// the reversal, which are the steps that it may begin with. When the delegate is done it is merged: the
// search adds one of the initials to the branches of the point, unless it has explored the subtree of one of
// them, or will. Until then it must not leave the point. If it has nothing else to do, it waits.
//
// Few reports are made. A reversal is not reported if it may begin with a step that waited at the point when
// the subtree was delegated, or with one that was reported before.
//
// Why no class is missed. Which initial is run, and in which order the branches of a point are explored, does
// not matter to Algorithm 1 (source sets): it asks only that one of the initials of each reversal is explored
// at some time, or sleeps. Algorithm 2 drops more. In it a sleeping step also covers a reversal that does not
// contain the step and merely commutes with it, since all such sequences were inserted below the step. That
// rests on every reversal being inserted whole and before the next branch begins, which is not so where a
// subtree is delegated. So the steps that sleep at a point when a subtree is delegated there or below, and
// all that fall asleep there later, are weak (Sleeper::weak): there and further down they cover only
// reversals that contain them, as in Algorithm 1. In the delegate, steps that slept before cover what they
// covered: their subtrees were explored before the delegated one.
//
// The price is that some executions are redundant (docs/strategies.md, "Several workers").
//
// An execution that ends by a bug may show that the delegated step does not commute with some other one
// (Point::foe), which ran in the meantime with the delegated step asleep. All steps that did so run again.
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
  if (!begun_ || done_) return nullptr;
  auto has_branches = [](const Point& point) { return !point.branches.empty(); };
  const Index first = delegated_.empty() ? floor_ : delegated_.back().depth;
  if (path_.size() <= first) return nullptr;
  const auto shallowest = std::find_if(path_.begin() + first, path_.end(), has_branches);
  if (shallowest == path_.end() || std::none_of(shallowest + 1, path_.end(), has_branches)) return nullptr;
  const auto depth = static_cast<Index>(shallowest - path_.begin());

  const double before = *along_path().done;
  // What is large and is not for the delegate is not copied.
  WakeupTrees trees = std::exchange(trees_, WakeupTrees());
  Reports reports = std::exchange(reports_, Reports());
  std::unique_ptr<Dpor> delegate = copy();
  trees_ = std::move(trees);
  reports_ = std::move(reports);
  for (Index i = 0; i < path_.size(); ++i) {
    Point& point = delegate->path_[i];
    point.walked = WakeupTrees::kNone;
    point.branches = {};
    if (i > depth) point.branches = delegate->trees_.take_over(trees_, path_[i].branches);
    // The steps that the delegate need not report.
    if (i != depth && i >= floor_) continue;
    for (auto node = path_[i].branches.first; node != WakeupTrees::kNone; node = trees_.next(node))
      delegate->trees_.add_last(point.branches, trees_.step(node));
  }
  delegate->floor_ = delegate->shared_ = depth + 1;
  delegate->of_ = delegated_.emplace_back(Delegation{depth, path_[depth].sleepers_count});
  delegate->delegated_.clear();
  delegate->blocked_ = 0;
  delegate->progress_ = 0;

  truncate(depth + 1);
  shared_ = depth + 1;
  path_.weaken_sleepers();
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
  blocked_ += delegate.blocked_;
  lost_ = lost_ || delegate.lost_;
  for (Index depth = 0; depth < of.depth; ++depth) path_[depth].foe.add(delegate.path_[depth].foe);
  take_foe(delegate.path_[of.depth].foe, of);
  for (std::size_t i = 0; i < delegate.reports_.size(); ++i) {
    std::vector<StepView> steps = delegate.reports_.steps(i);
    for (StepView& planned : steps)
      planned.step.choices = path_.choices().number_of(delegate.path_.choices()[planned.step.choices]);
    accept(delegate.reports_.depth(i), steps);
  }
}

// A delegate that is done is small when it is sent as bytes.
void Dpor::keep_reports_only() {
  trees_ = WakeupTrees();
  path_.keep_points_only();
  provisos_.clear();
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
  for (Sleeper& later : sleepers.subspan(of.sleeper + 1)) run_anew(of.depth, later.planned, later.anew);
  if (!point.is_void) run_anew(of.depth, path_.planned(of.depth).kept(), point.anew);
}

// A step that was run there is run again with nothing asleep, unless it was, or is to be.
void Dpor::run_anew(Index depth, PlannedStep step, bool& anew) {
  if (anew) return;
  anew = true;
  step.anew = true;
  if (!trees_.holds(path_[depth].branches, step.step)) trees_.add_last(path_[depth].branches, step);
}

// A reversal at a point that belongs to another search. Only initials up to the reversed step are reported:
// the others may be none where the execution goes on otherwise. Whether each reversal of the race is covered.
bool Dpor::report(Index depth, const Sequence& sequence) {
  const Cover by_branch = cover_by_first_steps(depth, sequence);
  if (by_branch != Cover::none) return by_branch == Cover::all;
  std::vector<StepView> initials;
  for (std::size_t i = 0; i < sequence.size() && sequence.is_common(i); ++i) {
    std::size_t at = Sequence::kNone;
    if (sequence.may_begin_with(sequence[i], at) && at == i) initials.push_back(sequence[i]);
  }
  trees_.add_last(path_[depth].branches, initials[0]);
  reports_.add(depth, initials);
  return false;
}

// One of the steps is to be run there. The first one is what a delegate would choose.
void Dpor::accept(Index depth, std::span<const StepView> steps) {
  for (const StepView& step : steps) {
    if (is_explored(depth, step, &step == steps.data())) return;
  }
  trees_.add_last(path_[depth].branches, steps[0]);
  if (depth < floor_) reports_.add(depth, steps);
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

void Dpor::save_shared(ByteWriter& out) const {
  out.put(floor_);
  out.put(shared_);
  out.put(of_.depth);
  out.put(of_.sleeper);
  out.put_all(delegated_);
  reports_.save(out);
}

void Dpor::load_shared(ByteReader& in) {
  floor_ = in.get<Index>();
  shared_ = in.get<Index>();
  of_.depth = in.get<Index>();
  of_.sleeper = in.get<std::uint32_t>();
  in.get_all(delegated_);
  reports_.load(in);
}

}  // namespace thrum
