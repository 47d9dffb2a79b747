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
// merely commutes with it, since not all that begins so is known.
//
// What ends an execution by a bug may tell that the part's step does not commute with some other one
// (Point::foe), which was run with it asleep in the meantime. All such steps are run anew.
//
// Tested by tests/oracle/reduction_test.cpp (ReductionsCanBeShared).
#include <algorithm>

#include "search/dpor.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {
// Of a step in a sequence that is forwarded.
constexpr std::uint8_t kTurned = 1;
constexpr std::uint8_t kNeeded = 2;
}  // namespace

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

  std::unique_ptr<Dpor> part(new Dpor(*this));
  part->floor_ = depth + 1;
  part->part_of_ = lent_.emplace_back(Lent{depth, shallowest->sleepers_count});
  part->lent_.clear();
  part->forwarded_.clear();
  part->blocked_ = 0;
  part->excluded_ = false;
  part->progress_ = 0;

  for (std::size_t i = depth + 1; i < path_.size(); ++i) trees_.clear(path_[i].branches);
  truncate(depth + 1);
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
  blocked_ += part.blocked_;
  excluded_ = excluded_ || part.excluded_;
  for (Index depth = 0; depth < lent.depth; ++depth) path_[depth].foe.add(part.path_[depth].foe);
  take_foe(part.path_[lent.depth].foe, lent);
  for (Forwarded& forwarded : part.forwarded_) take(forwarded, lent);
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

void Dpor::take(Forwarded& forwarded, const Lent& lent) {
  for (std::size_t i = 0; i < forwarded.steps.size(); ++i)
    forwarded.steps[i].step.choices = choices_.number_of(forwarded.choices[i]);
  const Index depth = forwarded.depth;
  if (!forwarded.is_sequence) {
    const PlannedStep& step = forwarded.steps[0];
    if (!is_known(depth, step.step)) add_step(depth, step);
    return;
  }
  Sequence sequence;
  sequence.begin(forwarded.order);
  Index at = 0;
  for (std::size_t i = 0; i < forwarded.steps.size(); ++i) {
    if ((forwarded.roles[i] & kTurned) != 0) {
      sequence.add_reversed(forwarded.steps[i]);
    } else {
      sequence.add(forwarded.steps[i], at++, (forwarded.roles[i] & kNeeded) != 0);
    }
  }
  if (is_asleep(depth, sequence, forwarded.cut_off)) return;
  // Another step is being run there than the one that it was found behind.
  const Point& point = path_[depth];
  const bool is_whole = algorithm_ == Algorithm::optimal && !forwarded.cut_off;
  if (depth == lent.depth && !point.is_void && comes_to(sequence, planned(depth), point.stops, is_whole))
    return;
  if (depth < floor_) forward(depth, sequence, forwarded.cut_off);
  if (!put_sequence(depth, sequence) && depth < floor_) forwarded_.pop_back();
}

void Dpor::forward(Index depth, const StepView& step) {
  Forwarded& forwarded = forwarded_.emplace_back();
  forwarded.depth = depth;
  forwarded.steps.push_back(step.kept());
  forwarded.choices.push_back(choices_[step.step.choices]);
}

void Dpor::forward(Index depth, const Sequence& sequence, bool cut_off) {
  Forwarded& forwarded = forwarded_.emplace_back();
  forwarded.depth = depth;
  forwarded.is_sequence = true;
  forwarded.cut_off = cut_off;
  std::vector<Index> places;
  for (const Sequence::Item& item : sequence.items()) {
    const bool turned = item.at == PartialOrder::kNone;
    if (!turned) places.push_back(item.at);
    forwarded.steps.push_back(item.planned.kept());
    forwarded.choices.push_back(choices_[item.planned.step.choices]);
    forwarded.roles.push_back(
        static_cast<std::uint8_t>((turned ? kTurned : 0) | (item.needed ? kNeeded : 0)));
  }
  forwarded.order = sequence.order().restricted_to(places);
}

void Dpor::save_shared(ByteWriter& out) const {
  out.put(floor_);
  out.put(part_of_.depth);
  out.put(part_of_.sleeper);
  out.put_all(lent_);
  out.put(static_cast<std::uint64_t>(forwarded_.size()));
  for (const Forwarded& forwarded : forwarded_) {
    out.put(forwarded.depth);
    out.put(forwarded.is_sequence);
    out.put(forwarded.cut_off);
    forwarded.order.save(out);
    out.put_all(forwarded.steps);
    for (const std::vector<Departure>& list : forwarded.choices) out.put_all(list);
    out.put_all(forwarded.roles);
  }
}

void Dpor::load_shared(ByteReader& in) {
  floor_ = in.get<Index>();
  part_of_.depth = in.get<Index>();
  part_of_.sleeper = in.get<std::uint32_t>();
  in.get_all(lent_);
  forwarded_.clear();
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.ok(); --left) {
    Forwarded& forwarded = forwarded_.emplace_back();
    forwarded.depth = in.get<Index>();
    forwarded.is_sequence = in.get<bool>();
    forwarded.cut_off = in.get<bool>();
    forwarded.order.load(in);
    in.get_all(forwarded.steps);
    forwarded.choices.resize(forwarded.steps.size());
    for (std::vector<Departure>& list : forwarded.choices) in.get_all(list);
    in.get_all(forwarded.roles);
  }
}

}  // namespace thrum
