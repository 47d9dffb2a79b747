// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How several workers share a reduced search.
//
// The path of a search is a stack: what is left to do stands at its points, and what is run behind a point
// may put down more there. A part that is split off takes the upper end of it, all below the step that is
// being run at some point; the search itself goes on with that point's next branch, as if that step was done.
// So the step sleeps in what follows, and what it does is known, as it has been run.
//
// What the part finds to be run at that point, or before, it cannot run: those points are the search's. It
// keeps such findings, and they are put down when the part is merged, as if they had been found then. Until
// then the point must not be left: where nothing else is left to do, the search waits.
//
// Of those that could begin with the same step it keeps the first, and none where that step waits at the
// point when the part is split off: the search runs that step, and what is run below it finds the rest. So
// there are few, where all would be as many as executions: those below the first branch of `readers` find
// each set of threads that may come before the write. And when the part is merged, a finding that comes to
// what was run at the point in the meantime is dropped: had it come in time, it might have been run with that
// step, in its wakeup tree; now what is run below that step finds it.
//
// So of some that sleep it is not known that all that merely commutes with them was looked for. They stand
// only for what begins with them, as in Algorithm 1, which needs no trees to be complete:
//   Sleeper::lent    what sleeps because its part is not merged yet.
//   Sleeper::relies  afterwards, where the part has left something to others; and what sleeps at the point,
//                    and at all before at which the part has left something: what was found below it may have
//                    been left to the step that is run there then, which merely commutes with it, or to
//                    whatever would come below a sequence that led there; and what the part finds of that may
//                    be dropped.
//   Point::all_rely  what is run from now on at a point where a step waits by itself, since a part has left
//                    something to it: what is found beside it is left to it, too, though some of what it
//                    begins may merely commute with what sleeps then.
// Behind a step that is lent, something may be put down that the step merely commutes with; it is run with
// the step asleep, and may be in vain. What the part finds then may begin so, and goes on with what does not
// commute: it is put down behind that, though all that begins so seems to be run anyway.
//
// What ends an execution by a bug may tell that the part's step does not commute with some other one
// (Point::foe), which was run with it asleep in the meantime. All such steps are run anew.
//
// Tested by tests/oracle/reduction_test.cpp (ReductionsCanBeShared).
#include <algorithm>
#include <utility>

#include "search/reduction/dpor.hpp"
#include "support/check.hpp"

namespace thrum {

// The points before it are others', or are still needed by what was split off.
Dpor::Index Dpor::first_own() const { return lent_.empty() ? floor_ : lent_.back().depth + 1; }

std::unique_ptr<Strategy> Dpor::split() {
  if (!begun_ || done_) return nullptr;
  auto has_branches = [](const Point& point) { return !point.branches.empty(); };
  const Index first = lent_.empty() ? floor_ : lent_.back().depth;
  if (path_.size() <= first) return nullptr;
  const auto shallowest = std::find_if(path_.begin() + first, path_.end(), has_branches);
  if (shallowest == path_.end() || std::none_of(shallowest + 1, path_.end(), has_branches)) return nullptr;
  const auto depth = static_cast<Index>(shallowest - path_.begin());

  const double before = *along_path().done;
  // What is large and is not for the part is not copied.
  WakeupTrees trees = std::exchange(trees_, WakeupTrees());
  Forwarded forwarded = std::exchange(forwarded_, Forwarded());
  std::unique_ptr<Dpor> part(new Dpor(*this));
  trees_ = std::move(trees);
  forwarded_ = std::move(forwarded);
  for (Index i = 0; i < path_.size(); ++i) {
    Point& point = part->path_[i];
    point.walked = WakeupTrees::kNone;
    point.branches = {};
    if (i > depth) point.branches = part->trees_.take_over(trees_, path_[i].branches);
    // What waits where the part is split off, and where the parts were that it is a part of.
    if (i != depth && i >= floor_) continue;
    for (auto node = path_[i].branches.first; node != WakeupTrees::kNone; node = trees_.next(node))
      part->trees_.add_last(point.branches, trees_.step(node));
  }
  part->floor_ = depth + 1;
  part->part_of_ = lent_.emplace_back(Lent{depth, path_[depth].sleepers_count});
  part->lent_.clear();
  part->blocked_ = 0;
  part->excluded_ = false;
  part->progress_ = 0;

  truncate(depth + 1);
  let_rely(depth);
  const double given = share_.of(*along_path().done) - share_.of(before);
  share_.given += given;
  part->share_ = {given, 0, *part->along_path().done};
  return part;
}

void Dpor::merge(Strategy& other) {
  auto& part = dynamic_cast<Dpor&>(other);
  THRUM_CHECK(part.done_ && part.lent_.empty());
  const Lent lent = part.part_of_;
  const auto found = std::find(lent_.begin(), lent_.end(), lent);
  THRUM_CHECK(found != lent_.end());
  waits_ = false;
  share_.given -= part.share_.whole;
  blocked_ += part.blocked_;
  excluded_ = excluded_ || part.excluded_;
  lost_ = lost_ || part.lost_;
  for (Index depth = 0; depth < lent.depth; ++depth) {
    path_[depth].foe.add(part.path_[depth].foe);
    if (!part.path_[depth].relies) continue;
    path_[depth].relies = true;
    let_rely(depth);
  }
  take_account(part.path_[lent.depth], lent);
  Forwarded::Entry entry;
  for (std::size_t i = 0; i < part.forwarded_.size(); ++i) {
    part.forwarded_.read(i, entry);
    for (StepView& planned : entry.steps)
      planned.step.choices = choices_.number_of(part.choices_[planned.step.choices]);
    take(entry, lent, part.path_[entry.depth].relies);
  }
  lent_.erase(found);
}

// A part that is done is small where it passes as bytes.
void Dpor::forget_all_but_findings() {
  trees_ = WakeupTrees();
  order_ = PartialOrder();
  options_.clear();
  costs_.clear();
  sleepers_.clear();
  provisos_.clear();
}

// What is known now of the step whose part was split off. of_part: the same point, as the part has left it.
void Dpor::take_account(const Point& of_part, const Lent& lent) {
  if (algorithm_ == Algorithm::bounded) return;  // nothing sleeps
  Point& point = path_[lent.depth];
  if (is_running(lent)) {
    point.foe.add(of_part.foe);
    point.relies = point.relies || of_part.relies;
    return;
  }
  Sleeper& sleeper = sleepers_[point.sleepers_begin + lent.sleeper];
  sleeper.lent = false;
  sleeper.relies = sleeper.relies || of_part.relies;
  const Foe before = sleeper.planned.foe;
  sleeper.planned.foe.add(of_part.foe);
  if (sleeper.planned.foe == before) return;
  // What was run behind it, unless nothing slept there.
  for (std::uint32_t i = lent.sleeper + 1; i < point.sleepers_count; ++i) {
    Sleeper& later = sleepers_[point.sleepers_begin + i];
    run_anew(lent.depth, later.planned, later.anew);
  }
  if (!point.is_void) run_anew(lent.depth, planned(lent.depth).kept(), point.anew);
}

// A step that was run there is run again with nothing asleep, unless it was, or is to be.
void Dpor::run_anew(Index depth, PlannedStep step, bool& anew) {
  if (anew) return;
  anew = true;
  step.anew = true;
  if (!trees_.holds(path_[depth].branches, step.step)) trees_.add_last(path_[depth].branches, step);
}

// What sleeps there stands for nothing that merely commutes with it from now on.
void Dpor::let_rely(Index depth) {
  for (std::uint32_t i = 0; i < path_[depth].sleepers_count; ++i)
    sleepers_[path_[depth].sleepers_begin + i].relies = true;
}

// What was found is to be run at a point before the floor. What begins with its first step, too: nothing else
// of that is handed on. Whether nothing that has the same race ever will be.
bool Dpor::hand_on(Index depth, const Sequence& sequence, bool cut_off) {
  Point& point = path_[depth];
  const StandsFor waits = begins_with(point.branches, sequence);
  if (waits != StandsFor::none) {
    point.relies = true;
    return waits == StandsFor::all;
  }
  trees_.add_last(point.branches, sequence[0]);
  forwarded_.add(depth, sequence, cut_off);
  return false;
}

// A finding of a part. relies: the part has left something to a step that is to be run there.
void Dpor::take(const Forwarded::Entry& entry, const Lent& lent, bool relies) {
  const Index depth = entry.depth;
  const StepView& first = entry.steps[0];
  if (!entry.is_sequence) {
    if (!is_known(depth, first.step)) add_step(depth, first);
    return;
  }
  Sequence& sequence = sequence_;
  entry.fill(sequence);
  Point& point = path_[depth];
  if (depth < floor_) {
    hand_on(depth, sequence, entry.cut_off);
    return;
  }
  if (depth != lent.depth) {
    if (is_asleep(depth, sequence, entry.cut_off) == StandsFor::none) put_sequence(depth, sequence);
  } else {
    take_here(sequence, entry.cut_off, lent);
  }
  // It is run also for what the part has left to it. From now on what is found may be left to it, too.
  if (!relies || is_known(depth, first.step)) return;
  trees_.add_last(point.branches, first);
  point.all_rely = true;
  let_rely(depth);
}

// Likewise, at the point at which it was split off. Another step may be run there than the one that it was
// found behind.
void Dpor::take_here(Sequence& sequence, bool cut_off, const Lent& lent) {
  const Index depth = lent.depth;
  const Point& point = path_[depth];
  const bool is_whole = algorithm_ == Algorithm::optimal && !cut_off;
  const StepView step = is_running(lent) ? planned(depth) : StepView(sleepers(depth)[lent.sleeper].planned);
  const bool comes_to_it =
      !point.is_void && comes_to(sequence, planned(depth), point.stops, is_whole) != StandsFor::none;
  if (comes_to_it || is_asleep(depth, sequence, cut_off) != StandsFor::none) return;
  put_sequence(depth, sequence, &step);
}

// Whether the search has not gone on since with another step there.
bool Dpor::is_running(const Lent& lent) const { return lent.sleeper == path_[lent.depth].sleepers_count; }

void Dpor::save_shared(ByteWriter& out) const {
  out.put(floor_);
  out.put(part_of_.depth);
  out.put(part_of_.sleeper);
  out.put_all(lent_);
  forwarded_.save(out);
}

void Dpor::load_shared(ByteReader& in) {
  floor_ = in.get<Index>();
  part_of_.depth = in.get<Index>();
  part_of_.sleeper = in.get<std::uint32_t>();
  in.get_all(lent_);
  forwarded_.load(in);
}

}  // namespace thrum
