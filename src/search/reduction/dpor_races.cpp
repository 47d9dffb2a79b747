// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithm 2, lines 6 to 9: for each race of an execution its reversal is inserted at the point before the
// earlier step, unless it is covered there.
//
// Let e be the earlier step and e' the later one. The reversal is v = notdep(e).e': the steps behind e that
// do not happen after it, as they came, and e' turned round. It is covered if
//   - a sleeping step may begin v: either v contains the step with nothing before it that it depends on, or
//     all of v commutes with it (a weak initial of v; JACM 2017, section 3.4);
//   - or a branch does, followed in the same way down the wakeup tree to a leaf.
// Else v is inserted: the whole of it (optimal), its first step (source), or the thread of e' (persistent).
// At a point that belongs to another search it is reported instead (dpor_split.cpp).
//
// The simple way is insert() without the three lines that return early, and with
// cover_by_sleepers() and insert_sequence(). All else here makes it faster, or looks at fewer races:
//   - insert() returns at once if the step itself sleeps at the point and needs none of notdep(e).
//   - insert_along_path() follows v in the wakeup tree without making it.
//   - recheck_races() looks at a race of the common prefix again only where it has to (dpor.hpp).
//
// Tested by tests/oracle/reduction_test.cpp.
#include <algorithm>

#include "order/reversal.hpp"
#include "search/reduction/dpor.hpp"

namespace thrum {

namespace {

// Whether an operation that waits depends on the event, also if it should turn out to change nothing.
bool depends_anyway(const Event& waits, const Event& event) {
  return dependent(waits, event) && (waits.operation == Operation::store || !is_read(event));
}

}  // namespace

void Dpor::reverse_races(Index late) {
  for (Index rival : path_.order().rivals(late)) apply(late, reversals_.of_race(path_, late, rival));
}

void Dpor::apply(Index late, std::span<const Reversals::Found> found) {
  for (const Reversals::Found& reversal : found) {
    if (reversal.is_sure) {
      insert(late, reversal.early, reversal.taken);
    } else {
      add_all(reversal.early);
    }
  }
}

// The races of steps before the branch whose reversals may not be covered with another tail.
void Dpor::recheck_races() {
  rechecked_.clear();
  for (const Proviso& proviso : provisos_) {
    if (proviso.late < branch_ && has_another_tail(proviso)) rechecked_.push_back(proviso.late);
  }
  std::sort(rechecked_.begin(), rechecked_.end());
  rechecked_.erase(std::unique(rechecked_.begin(), rechecked_.end()), rechecked_.end());
  std::erase_if(provisos_, [&](const Proviso& proviso) {
    return proviso.late >= branch_ || std::binary_search(rechecked_.begin(), rechecked_.end(), proviso.late);
  });
  for (Index late : rechecked_) reverse_races(late);
}

bool Dpor::has_another_tail(const Proviso& proviso) const {
  if (proviso.last >= branch_) return true;
  for (Index i = branch_; i < path_.size(); ++i) {
    if (!happens_after(proviso.early, i)) return true;
  }
  return false;
}

// What ended the execution is no step, and came as soon as all that happens before it was there. Whichever
// step of that comes last is then the end, though they may be independent otherwise.
void Dpor::reverse_end(const Trace& trace) {
  const auto last = static_cast<Index>(path_.size() - 1);
  const Event& event = path_.order().event(last);
  for (Index early : path_.order().last_known(trace.last)) {
    if (early == last || path_.order().ordered(early, last)) continue;
    path_[early].foe.add({event.thread, false, event.index});
    insert(last, early, Reversals::as_taken(path_, last));
  }
}

// What the threads that are left stand before was not run. It races nevertheless: a lock that is waited for
// in vain with whoever holds it, and everything with the end of the process or a bug, behind which nothing
// comes.
void Dpor::reverse_pending(const Trace& trace) {
  PartialOrder& order = path_.order();
  const auto last = static_cast<Index>(path_.size() - 1);
  for (const PendingOperation& pending : trace.pending) {
    // Who sleeps was woken by nobody, and could have been by nobody before.
    if (pending.sleeps || !is_visible(pending.operation)) continue;
    if (trace.end == End::stopped && pending.enabled) continue;  // it was run from elsewhere, and is asleep
    order.append(event_of(pending));
    const auto late = static_cast<Index>(order.size() - 1);
    const bool stops = path_[last].stops;
    if (stops && path_.is_option(last, {pending.thread, pending.via})) {
      insert(late, last, Reversals::as_taken(path_, late));  // its races are seen when it is run there
    } else if (stops && order.causes(last, late)) {
      // It comes only behind the end.
    } else if (stops || !pending.enabled) {
      apply(late, reversals_.of_blocked(path_, late));
    }
    if (stops || !pending.enabled) {
      reverse_races_of_last(late);
    } else {
      reverse_races(late);
    }
    order.truncate(late);
  }
}

// What the late step is expected to do before the early one, if it is taken so.
PlannedStep Dpor::reversed(Index late, Index early, const Step& taken) const {
  if (late >= path_.size()) return {taken, path_.order().event(late), 0};
  if (taken.option != path_[late].step.option) return unknown_step(taken);
  return {taken, as_reversed(path_.order(), late, early), path_[late].events_after};
}

void Dpor::insert(Index late, Index early, const Step& taken) {
  const Index previous = path_.order().previous(late);
  const bool is_first = previous == PartialOrder::kNone || previous < early;
  if (is_first && path_.sleeps(early, taken) && !needs_some(early, late, early + 1)) return;
  // By chance a step may be possible at the point and not behind the rest of the reversal.
  const bool is_whole = algorithm_ == Algorithm::optimal && !is_by_chance(taken.option.via);
  if (is_whole && early >= floor_ && insert_along_path(early, late, taken)) return;
  find_needed(early, late);
  const PlannedStep turned = reversed(late, early, taken);
  Sequence& sequence = sequence_;
  sequence.begin(path_.order());
  Index last = late;
  for (Index i = early + 1; i < path_.size(); ++i) {
    if (i == late) sequence.add_reversed(turned);
    if (!is_whole && i > late) break;
    if (i == late || happens_after(early, i)) continue;
    sequence.add(path_.planned(i), i, i < late && needed_[i - early]);
    last = std::max(last, i);
  }
  if (late >= path_.size()) sequence.add_reversed(turned);
  const Cover asleep = cover_by_sleepers(early, sequence, path_.back().stops);
  bool covers_all = asleep == Cover::all;
  if (asleep != Cover::none) {
    // Nothing is inserted.
  } else if (algorithm_ == Algorithm::persistent) {
    return add_thread(early, turned, sequence[0]);
  } else if (early < floor_) {
    covers_all = report(early, sequence);
  } else {
    covers_all = insert_sequence(early, sequence);
  }
  if (!covers_all && is_whole && late < path_.size()) provisos_.push_back({late, early, last});
}

// Follows in the wakeup tree of the early point what the reversals of the race have in common, step by step
// as it came, to the late step or to a leaf; and inserts what is missing behind. Mostly that is all, and the
// sequence need not be made. False: a branch on the way, or a sleeping step, may come first in some reversal
// of the race; nothing was inserted. Up to the branch of the execution the way is the same as for the
// executions before, and is remembered (Point::walked).
bool Dpor::insert_along_path(Index early, Index late, const Step& taken) {
  Point& point = path_[early];
  std::optional<PlannedStep> turned;
  // Of the branches the one that begins with that step of the reversal, or kNone; is_sure becomes false where
  // one before it may come first.
  bool is_sure = true;
  auto find = [&](const WakeupTrees::Branches& branches, Index i) {
    const Step& step = i == late ? taken : path_[i].step;
    WakeupTrees::Node node = branches.first;
    for (; node != WakeupTrees::kNone && is_sure; node = trees_.next(node)) {
      const PlannedStep& waits = trees_.step(node);
      if (waits.step == step) break;
      if (i < late && depends_anyway(waits.event, path_.order().event(i))) continue;
      is_sure = !may_come_first(waits, i, early, late, taken, turned);
    }
    return node;
  };
  WakeupTrees::Node parent = late < branch_ ? WakeupTrees::kNone : point.walked;
  const Index begin = parent == WakeupTrees::kNone ? early + 1 : point.walked_to;
  Index i = begin;
  const bool passed_before = parent != WakeupTrees::kNone && point.walked_past;
  bool passed = passed_before;
  auto below = [&] { return parent == WakeupTrees::kNone ? point.branches : trees_.below(parent); };
  for (WakeupTrees::Branches branches = below(); !branches.empty(); ++i) {
    if (i == branch_ && late >= branch_) {
      point.walked = parent;
      point.walked_to = i;
      point.walked_past = passed;
    }
    if (i != late && happens_after(early, i)) continue;
    const WakeupTrees::Node node = find(branches, i);
    if (!is_sure) return false;
    if (node == WakeupTrees::kNone) break;
    passed = passed || node != branches.first;
    parent = node;
    branches = below();
    if (i == late || branches.empty()) {
      trees_.mark_covering(parent);
      return true;
    }
  }
  // The branches that an earlier call passed, for another late step.
  if (passed_before) {
    WakeupTrees::Branches branches = point.branches;
    for (Index k = early + 1; k < begin; ++k) {
      if (happens_after(early, k)) continue;
      const WakeupTrees::Node node = find(branches, k);
      if (!is_sure) return false;
      branches = trees_.below(node);
    }
  }
  for (const Sleeper& sleeper : path_.sleepers(early)) {
    if (may_come_first(sleeper.planned, early + 1, early, late, taken, turned)) return false;
  }
  for (; i < std::max(path_.size(), late + 1); ++i) {
    if (i == late) {
      if (!turned) turned = reversed(late, early, taken);
      parent = trees_.add_below(point.branches, parent, *turned);
      trees_.mark_covering(parent);
    } else if (!happens_after(early, i)) {
      parent = trees_.add_below(point.branches, parent, path_.planned(i));
    }
  }
  return true;
}

// Whether a step is none of notdep(early). Nothing comes behind a step that ends the execution.
bool Dpor::happens_after(Index early, Index i) const {
  return path_[i].stops || path_.order().ordered(early, i);
}

// Whether the step might come first in what the reversal has from there on, in some execution that has the
// race. turned: the late step, turned round, where that was asked for.
bool Dpor::may_come_first(const StepView& step, Index from, Index early, Index late, const Step& taken,
                          std::optional<PlannedStep>& turned) const {
  const PartialOrder& order = path_.order();
  const ThreadId thread = step.event->thread;
  const Index end = std::min(late, path_.size());
  for (Index i = from; i < end; ++i) {
    if (order.event(i).thread != thread || happens_after(early, i)) continue;
    if (path_[i].step != step.step) return false;
    for (Index before = from; before < i; ++before) {
      if (order.ordered(before, i) && !happens_after(early, before)) return false;
    }
    return true;
  }
  if (order.event(late).thread == thread) return step.step == taken && !needs_some(early, late, from);
  if (!turned) turned = reversed(late, early, taken);
  if (!commute(step, *turned)) return false;
  for (Index i = from; i < end; ++i) {
    if (!happens_after(early, i) && !commute(step, path_.planned(i))) return false;
  }
  return true;
}

// Inserts the sequence, which is used up, unless some branch covers it. Whether all of the race is covered
// now.
bool Dpor::insert_sequence(Index depth, Sequence& sequence) {
  WakeupTrees::Branches& branches = path_[depth].branches;
  if (algorithm_ == Algorithm::optimal) return trees_.insert(branches, sequence);
  if (cover_by_first_steps(depth, sequence) == Cover::none) trees_.add_last(branches, sequence[0]);
  return true;
}

// Whether the late step, were it to come before the early one, needs any of notdep(early), from the given one
// on.
bool Dpor::needs_some(Index early, Index late, Index from) const {
  const PartialOrder& order = path_.order();
  const StepView last{{}, order.event(late)};
  for (Index i = std::min(late, path_.size()); i-- > from;) {
    if (!order.ordered(early, i) && (order.causes(i, late) || !commute(path_.planned(i), last))) return true;
  }
  return false;
}

// Which of those it needs.
void Dpor::find_needed(Index early, Index late) {
  const PartialOrder& order = path_.order();
  needed_.assign(late - early, false);
  const StepView last{{}, order.event(late)};
  past_.assign_causes_of(order, late);
  for (Index i = std::min(late, path_.size()); --i > early;) {
    if (order.ordered(early, i)) continue;
    if (!past_.has(order, i)) {
      if (commute(path_.planned(i), last)) continue;
      past_.add(order, i);
    }
    needed_[i - early] = true;
  }
}

// Whether a step that was run there, or is to be, covers the sequence. is_whole: also if the sequence does
// not contain it, and merely commutes with it.
Dpor::Cover Dpor::covers(const StepView& run, bool stops, const Sequence& sequence, bool is_whole) {
  std::size_t at = Sequence::kNone;
  if (!sequence.may_begin_with(run, at)) return Cover::none;
  if (at != Sequence::kNone) return sequence.is_common(at) ? Cover::all : Cover::this_one;
  // That the sequence can go on behind a step that nothing came behind is not known; nor is what else would
  // have come, where not all of it is here, or the execution was cut off.
  return !stops && is_whole ? Cover::this_one : Cover::none;
}

Dpor::Cover Dpor::cover_by_sleepers(Index depth, const Sequence& sequence, bool cut_off) const {
  Cover most = Cover::none;
  const bool is_whole = algorithm_ == Algorithm::optimal && !cut_off;
  for (const Sleeper& sleeper : path_.sleepers(depth)) {
    most = std::max(most, covers(sleeper.planned, sleeper.stops, sequence, is_whole && !sleeper.weak));
    if (most == Cover::all) break;
  }
  return most;
}

// By the first step of some branch, which the sequence contains.
Dpor::Cover Dpor::cover_by_first_steps(Index depth, const Sequence& sequence) const {
  Cover most = Cover::none;
  for (auto node = path_[depth].branches.first; node != WakeupTrees::kNone; node = trees_.next(node))
    most = std::max(most, covers(trees_.step(node), false, sequence, false));
  return most;
}

// The thread of the step that is turned round, or, where that sleeps, one that begins what leads there.
void Dpor::add_thread(Index depth, const StepView& turned, const StepView& first) {
  if (!path_.is_option(depth, turned.step.option)) return add_all(depth);
  if (trees_.holds(path_[depth].branches, turned.step)) return;
  const StepView& added = is_known(depth, turned.step) ? first : turned;
  if (!is_known(depth, added.step)) add_step(depth, added);
}

void Dpor::add_all(Index depth) {
  for (std::size_t i = 0; i < path_[depth].options_count; ++i) {
    Step step{path_.options(depth)[i], 0};
    if (!is_known(depth, step)) add_step(depth, unknown_step(step));
  }
}

void Dpor::add_step(Index depth, const StepView& step) {
  trees_.add_last(path_[depth].branches, step);
  if (depth < floor_) reports_.add(depth, std::span(&step, 1));
}

}  // namespace thrum
