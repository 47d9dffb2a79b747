// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reduced search has run while it did not know all of what sleeps.
//
// Where a step is lent in full (dpor_split.cpp) it sleeps as if it was done: what merely commutes with it is
// left to it. What its part finds to be run at that point comes when the part is merged, and may begin as
// what was run there in the meantime. What it goes on with may be there: then it was run. If not it is to be
// run still, with all asleep that was run from there before; and what was run elsewhere, later, does not
// sleep.
//
// So behind what was run while an open step slept a history is kept: a tree of what was run, in which what is
// new is put where it would have been put before. A step is open if it is lent in full, or if an open one
// slept behind it, or if something new is to be run below it. Where nothing open sleeps, the step alone
// stands for all that begins with it, and no history is kept. So it ends where a sequence ends that was put
// down, since nothing sleeps there.
//
// A step that was run and is gone on with is in its place again among those that sleep at its point: those
// before it sleep in it, and those behind do not, which were run with it asleep. What is found below it to be
// run there may belong to them.
//
// In the end that is a tree that one worker could have made, but for the order of time. The proof of
// Algorithm 2 needs no other order than that of the tree: what is put down for a race is there in the end, or
// begins with what sleeps there. (That is our argument, not the paper's; it is what the tests try.)
//
// Tested by tests/oracle/reduction_test.cpp (ReductionsCanBeShared).
#include <algorithm>
#include <utility>

#include "search/reduction/dpor.hpp"

namespace thrum {

namespace {

// Without the step that it was found to begin with.
void begin_with(Sequence& sequence, const StepView& step) {
  std::size_t at = Sequence::kNone;
  sequence.may_begin_with(step, at);
  if (at != Sequence::kNone) sequence.erase(at);
}

}  // namespace

// How many of those that sleep at a point sleep while its step is run.
std::uint32_t Dpor::turn(const Point& point) {
  return point.resumed != kNoSleeper ? point.resumed : point.sleepers_count;
}

// Whether one of the first so many that sleep there is open.
bool Dpor::has_open(Index depth, std::uint32_t count) const {
  std::span<const Sleeper> slept = sleepers(depth).first(count);
  return std::any_of(slept.begin(), slept.end(), [](const Sleeper& sleeper) { return sleeper.open; });
}

// Whether something of what was run there is to be kept, or is.
bool Dpor::has_history(Index depth) const {
  const Point& point = path_[depth];
  std::span<const Sleeper> own = sleepers(depth).subspan(point.inherited);
  return point.kept || has_open(depth, point.inherited) ||
         std::any_of(own.begin(), own.end(), [](const Sleeper& sleeper) { return sleeper.kept; });
}

// The last point is to be taken back: what was run there is what was run behind the step before.
void Dpor::keep_history(Index depth) {
  const bool keeps = has_open(depth, path_[depth].inherited);
  if (keeps && !path_[depth].is_void) lay_to_rest(depth);
  Point& point = path_[depth];
  WakeupTrees::Branches history;
  for (std::uint32_t i = point.inherited; i < point.sleepers_count; ++i) {
    Sleeper& run = sleepers_[point.sleepers_begin + i];
    if (keeps) {
      trees_.add_run(history, run.planned, {run.stops, run.relies, run.kept, run.resumes, run.history});
    } else {
      trees_.clear(run.history);
    }
  }
  trees_.clear(point.history);
  if (depth == 0) return;
  path_[depth - 1].history = history;
  path_[depth - 1].kept = keeps;
}

// The first of those to be gone on with at the last point is planned again, and what is below it, up to the
// step that is new.
WakeupTrees::Node Dpor::resume() {
  Point* point = &path_.back();
  std::uint32_t place = point->inherited;
  while (!sleepers_[point->sleepers_begin + place].resumes) ++place;
  Sleeper& first = sleepers_[point->sleepers_begin + place];
  first.resumes = false;
  point->resumes = false;
  for (std::uint32_t i = place; i < point->sleepers_count; ++i)
    point->resumes = point->resumes || sleepers_[point->sleepers_begin + i].resumes;
  plan_step(*point, first.planned);
  point->resumed = place;
  first.open = true;
  WakeupTrees::Branches below = std::exchange(first.history, {});
  while (true) {
    const auto [run, rest] = trees_.part(below);
    auto node = run.first;
    std::uint32_t at = 0;
    for (; node != WakeupTrees::kNone && !trees_.run(node).resumes; node = trees_.next(node)) ++at;
    const bool is_new = node == WakeupTrees::kNone;
    WakeupTrees::Branches left = rest;
    if (is_new) node = trees_.take_first(left);
    Point& next = push_planned(trees_.step(node));
    next.branches = left;
    next.restore = run;
    if (is_new) return node;
    next.restore_at = at;
    below = trees_.take_below(node);
  }
}

// Those that were run there before sleep again.
void Dpor::restore(Index depth) {
  Point& point = path_[depth];
  if (point.restore_at != kNoSleeper) point.resumed = point.inherited + point.restore_at;
  point.restore_at = kNoSleeper;
  while (!point.restore.empty()) {
    const auto node = trees_.take_first(point.restore);
    const WakeupTrees::Run run = trees_.run(node);
    Sleeper& sleeper = sleepers_.emplace_back();
    sleeper.planned = trees_.step(node);
    sleeper.stops = run.stops;
    sleeper.relies = run.relies;
    sleeper.kept = run.kept;
    sleeper.resumes = run.resumes;
    sleeper.history = run.branches;
    trees_.give_back(node);
    sleeper.open = is_open(depth, point.sleepers_count++);
    point.resumes = point.resumes || sleeper.resumes;
  }
}

// Of one that did not sleep at the point before, where it is known of those before it.
bool Dpor::is_open(Index depth, std::uint32_t i) const {
  const Sleeper& sleeper = sleepers_[path_[depth].sleepers_begin + i];
  if (sleeper.resumes || i == path_[depth].resumed) return true;
  for (const Lent& lent : lent_) {
    if (lent.in_full && lent.depth == depth && lent.sleeper == i) return true;
  }
  return sleeper.kept && has_open(depth, i);
}

// Something has changed at that point. Who is open there and behind it.
void Dpor::judge_open(Index from) {
  for (Index depth = from; depth < path_.size(); ++depth) {
    for (std::uint32_t i = 0; i < path_[depth].sleepers_count; ++i) {
      Sleeper& sleeper = sleepers_[path_[depth].sleepers_begin + i];
      if (i >= path_[depth].inherited) {
        sleeper.open = is_open(depth, i);
      } else if (depth > from) {
        for (const Sleeper& before : sleepers(depth - 1)) {
          if (before.planned.step == sleeper.planned.step) sleeper.open = before.open;
        }
      }
    }
  }
  // A step that was just lent is no sleeper yet.
  keeps_ = std::any_of(lent_.begin(), lent_.end(), [](const Lent& lent) { return lent.in_full; });
  for (const Point& point : path_) keeps_ = keeps_ || point.kept;
  for (const Sleeper& sleeper : sleepers_) keeps_ = keeps_ || sleeper.open || sleeper.kept;
}

// Puts a sequence where it belongs among what was run there, is run, and is to be run, from that one on of
// those that sleep. It is used up. behind: as put_sequence().
void Dpor::put_late(Index depth, Sequence& sequence, std::uint32_t from, bool is_whole,
                    const StepView* behind) {
  // Whether it comes to that step, without which it goes on.
  auto comes_by = [&](const StepView& step, bool stops, bool stands_for_all) {
    if (comes_to(sequence, step, stops, is_whole && stands_for_all) == StandsFor::none) return false;
    begin_with(sequence, step);
    if (behind != nullptr && !commute(step, *behind)) behind = nullptr;
    return true;
  };
  while (!sequence.empty()) {
    Point& point = path_[depth];
    bool goes_on = false;
    for (std::uint32_t i = from; i <= point.sleepers_count && !goes_on; ++i) {
      if (!point.rests && i == turn(point)) {  // the one that is being run
        goes_on = !point.is_void && comes_by(planned(depth), point.stops, !point.relies && !point.all_rely);
      } else if (i < point.sleepers_count) {
        Sleeper& run = sleepers_[point.sleepers_begin + i];
        if (!comes_by(run.planned, run.stops, run.stands_for_all())) continue;
        if (!run.kept || !trees_.insert(run.history, sequence, behind, is_whole).added) return;
        run.resumes = run.open = point.resumes = true;
        return;
      }
    }
    if (!goes_on) {
      if (trees_.insert(point.branches, sequence, behind).added) note_put(point);
      return;
    }
    if (++depth == path_.size()) return;
    from = path_[depth].inherited;
    if (!has_open(depth, from)) return;
  }
}

}  // namespace thrum
