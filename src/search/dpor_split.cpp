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
// Two things are otherwise than in a search that is not shared, and may cost a few executions that are run
// twice or in vain. A finding that comes to what was run at the point in the meantime is dropped: had it come
// in time, it might have been run with that step, in its wakeup tree; now what is run below that step finds
// it. And for that what sleeps because its part is not merged yet (Sleeper::lent) does not stand for what
// merely commutes with it, since not all that begins so is known. So something may be put down there that the
// step merely commutes with; it is run with the step asleep. What the part finds then may begin so, and goes
// on with what does not commute: it is put down behind that, though all that begins so seems to be run
// anyway.
//
// Nor does what slept at the point before (Sleeper::relies): what was found below it may have been left to
// the step that is lent, which merely commutes with it, or to whatever would come below a sequence that led
// there; and what the part finds of that may be dropped by the first rule. All these stand only for what
// begins with them, as in Algorithm 1, which needs no trees to be complete.
//
// What ends an execution by a bug may tell that the part's step does not commute with some other one
// (Point::foe), which was run with it asleep in the meantime. All such steps are run anew.
//
// Tested by tests/oracle/reduction_test.cpp (ReductionsCanBeShared).
#include <algorithm>
#include <utility>

#include "search/dpor.hpp"
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
  WakeupTrees trees = std::exchange(trees_, WakeupTrees());
  std::unique_ptr<Dpor> part(new Dpor(*this));
  trees_ = std::move(trees);
  for (Index i = 0; i < path_.size(); ++i) {
    part->path_[i].branches =
        i > depth ? part->trees_.take_over(trees_, path_[i].branches) : WakeupTrees::Branches();
    part->path_[i].walked = WakeupTrees::kNone;
  }
  part->floor_ = depth + 1;
  part->part_of_ = lent_.emplace_back(Lent{depth, shallowest->sleepers_count});
  part->lent_.clear();
  part->forwarded_.clear();
  part->blocked_ = 0;
  part->excluded_ = false;
  part->progress_ = 0;

  truncate(depth + 1);
  for (std::uint32_t i = 0; i < path_[depth].sleepers_count; ++i)
    sleepers_[path_[depth].sleepers_begin + i].relies = true;
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
  lent_.erase(found);
  waits_ = false;
  share_.given -= part.share_.whole;
  blocked_ += part.blocked_;
  excluded_ = excluded_ || part.excluded_;
  for (Index depth = 0; depth < lent.depth; ++depth) path_[depth].foe.add(part.path_[depth].foe);
  take_foe(part.path_[lent.depth].foe, lent);
  Forwarded::Entry entry;
  for (std::size_t i = 0; i < part.forwarded_.size(); ++i) {
    part.forwarded_.read(i, entry);
    for (PlannedStep& planned : entry.steps)
      planned.step.choices = choices_.number_of(part.choices_[planned.step.choices]);
    take(entry, lent);
  }
}

// A part that is done is small where it passes as bytes.
void Dpor::forget_all_but_findings() {
  trees_ = WakeupTrees();
  order_ = PartialOrder();
  options_.clear();
  costs_.clear();
  sleepers_.clear();
}

// What is known now of the step whose part was split off.
void Dpor::take_foe(const Foe& foe, const Lent& lent) {
  if (algorithm_ == Algorithm::bounded) return;  // nothing sleeps
  Point& point = path_[lent.depth];
  if (lent.sleeper == point.sleepers_count) return point.foe.add(foe);  // it is the one that runs
  Sleeper& sleeper = sleepers_[point.sleepers_begin + lent.sleeper];
  sleeper.lent = false;
  const Foe before = sleeper.planned.foe;
  sleeper.planned.foe.add(foe);
  if (sleeper.planned.foe == before) return;
  // What was run behind it, unless nothing slept there.
  auto run_anew = [&](PlannedStep step, bool& anew) {
    if (anew) return;
    anew = true;
    step.anew = true;
    if (!trees_.holds(point.branches, step.step)) trees_.add_last(point.branches, step);
  };
  for (std::uint32_t i = lent.sleeper + 1; i < point.sleepers_count; ++i) {
    Sleeper& later = sleepers_[point.sleepers_begin + i];
    run_anew(later.planned, later.anew);
  }
  if (!point.is_void) run_anew(planned(lent.depth).kept(), point.anew);
}

void Dpor::take(const Forwarded::Entry& entry, const Lent& lent) {
  const Index depth = entry.depth;
  if (!entry.is_sequence) {
    const PlannedStep& step = entry.steps[0];
    if (!is_known(depth, step.step)) add_step(depth, step);
    return;
  }
  Sequence& sequence = sequence_;
  entry.fill(sequence);
  if (is_asleep(depth, sequence, entry.cut_off)) return;
  // Another step is being run there than the one that it was found behind.
  const Point& point = path_[depth];
  const bool is_whole = algorithm_ == Algorithm::optimal && !entry.cut_off;
  if (depth == lent.depth && !point.is_void && comes_to(sequence, planned(depth), point.stops, is_whole))
    return;
  if (depth < floor_) forwarded_.add(depth, sequence, entry.cut_off);
  const bool runs = lent.sleeper == path_[lent.depth].sleepers_count;
  const StepView step = runs ? planned(lent.depth)
                             : StepView(sleepers_[path_[lent.depth].sleepers_begin + lent.sleeper].planned);
  if (!put_sequence(depth, sequence, depth == lent.depth ? &step : nullptr) && depth < floor_)
    forwarded_.drop_last();
}

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
