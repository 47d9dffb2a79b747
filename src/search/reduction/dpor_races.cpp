// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reduced search puts down for the races of an execution: before the earlier step of each the sequence
// in which the later one comes first, where nothing that is run, or was, stands for that already.
//
// Tested by tests/oracle/reduction_test.cpp.
#include <algorithm>

#include "search/reduction/dpor.hpp"

namespace thrum {

namespace {

// Whether somebody who waited may go on behind it.
bool lets_go(const Event& event) {
  switch (event.operation) {
    case Operation::unlock:
    case Operation::shared_unlock:
    case Operation::wait_release:
    case Operation::semaphore_post: return true;
    default: return false;
  }
}

// Whether the late operation was waiting for what the early one does, had it come by then, and for a limited
// time.
bool ends_wait(const Event& early, const Event& late) {
  if (!late.timed) return false;
  switch (late.operation) {
    case Operation::lock:
      return early.operation == Operation::unlock || early.operation == Operation::wait_release ||
             early.operation == Operation::shared_unlock;
    case Operation::shared_lock: return early.operation == Operation::unlock;
    case Operation::semaphore_wait: return early.operation == Operation::semaphore_post && early.value == 1;
    case Operation::try_join: return true;
    default: return false;
  }
}

// Whether an operation that waits depends on the event, also if it should turn out to change nothing.
bool depends_anyway(const Event& waits, const Event& event) {
  return dependent(waits, event) && (waits.operation == Operation::store || !is_read(event));
}

}  // namespace

void Dpor::reverse_races(Index late) {
  std::span<const Index> rivals = order_.rivals(late);
  if (algorithm_ == Algorithm::bounded) {
    find_conflicts(late);
    rivals = conflicts_;
    for (Index conflict : conflicts_) reverse(late, conflict);
  }
  for (Index rival : rivals) {
    reverse(late, reversal(order_, late, rival));
    if (ends_wait(order_.event(rival), order_.event(late))) put_timeout(late, rival);
  }
}

// Those of steps before the branch for which what stands may not stand any more.
void Dpor::reverse_races_anew() {
  anew_.clear();
  for (const Proviso& proviso : provisos_) {
    if (proviso.late < branch_ && goes_on_otherwise(proviso)) anew_.push_back(proviso.late);
  }
  std::sort(anew_.begin(), anew_.end());
  anew_.erase(std::unique(anew_.begin(), anew_.end()), anew_.end());
  std::erase_if(provisos_, [&](const Proviso& proviso) {
    return proviso.late >= branch_ || std::binary_search(anew_.begin(), anew_.end(), proviso.late);
  });
  for (Index late : anew_) reverse_races(late);
}

// Whether the sequence is another one than it was.
bool Dpor::goes_on_otherwise(const Proviso& proviso) const {
  if (proviso.last >= branch_) return true;
  for (Index i = branch_; i < path_.size(); ++i) {
    if (!path_[i].stops && !order_.ordered(proviso.early, i)) return true;
  }
  return false;
}

// While it waited for what its rival did, its time could have run out.
void Dpor::put_timeout(Index late, Index rival) {
  const Option timeout{order_.event(late).thread, Via::timeout};
  if (late >= path_.size() || path_[late].step.option.via != Via::run) return;
  const Index previous = order_.previous(late);
  const bool stood_there = previous == PartialOrder::kNone || previous < rival;
  if (stood_there && !is_option(rival, timeout)) return;
  put_down(late, rival, {timeout, 0});
}

void Dpor::reverse(Index late, const Reversal& turned) {
  if (turned.before == PartialOrder::kNone) return;
  if (!turned.certain) return reverse_unsure(late, turned.before);
  if (late < path_.size() && is_by_chance(path_[late].step.option.via)) {
    reverse_chance(late, turned.before);
  } else {
    reverse(late, turned.before);
  }
}

// Whether the late step could go on before its rival, or before what that depends on, cannot be told from
// events. So every thread is tried there, back to where it is seen that it could.
void Dpor::reverse_unsure(Index late, Index rival) {
  const Index previous = order_.previous(late);
  Option option{order_.event(late).thread, Via::run};
  if (late < path_.size()) option = path_[late].step.option;
  for (Index i = rival + 1; i-- > 0;) {
    if (order_.causes(i, late)) return;
    if (i != rival && !dependent(order_.event(i), order_.event(late))) continue;
    const bool stood_there = previous == PartialOrder::kNone || previous < i;
    if (stood_there && is_option(i, option)) return reverse(late, i);
    add_all(i);
  }
}

// A timeout, and the like. It is possible only while its thread waits, and may be so only while some thread
// can go on.
void Dpor::reverse_chance(Index late, Index rival) {
  const Index previous = order_.previous(late);
  const bool stood_there = previous == PartialOrder::kNone || previous < rival;
  if (!stood_there) {
    // It would wait there as well, but not for a lock that its rival took.
    const Event& event = order_.event(rival);
    if (!dependent(event, order_.event(late)) || lets_go(event)) reverse(late, rival);
  } else if (is_option(rival, path_[late].step.option)) {
    reverse(late, rival);
  } else if (is_by_chance(path_[rival].step.option.via)) {
    // Nobody could go on there; but with the last step of some thread undone, that one can.
    std::vector<bool> seen;
    for (Index i = rival; i-- > 0;) {
      const ThreadId thread = order_.event(i).thread;
      if (seen.size() <= thread) seen.resize(thread + std::size_t{1});
      if (seen[thread]) continue;
      seen[thread] = true;
      if (thread != order_.event(late).thread && !order_.causes(i, late)) reverse(late, i);
    }
  }
}

bool Dpor::is_option(Index depth, const Option& option) const {
  std::span<const Option> here = options(depth);
  return std::find(here.begin(), here.end(), option) != here.end();
}

// What ended the execution is no step, and came as soon as all that happens before it was there. Whichever
// step of that comes last is then the end, though they may be independent otherwise.
void Dpor::reverse_end(const Trace& trace) {
  const auto last = static_cast<Index>(path_.size() - 1);
  for (Index early : order_.last_known(trace.last)) {
    if (early == last || order_.ordered(early, last)) continue;
    path_[early].foe.add({order_.event(last).thread, false, order_.event(last).index});
    reverse(last, early);
  }
}

// What the threads that are left stand before was not run. It races nevertheless: a lock that is waited for
// in vain with whoever holds it, and everything with the end of the process or a bug, behind which nothing
// comes.
void Dpor::reverse_pending(const Trace& trace) {
  const auto last = static_cast<Index>(path_.size() - 1);
  for (const PendingOperation& pending : trace.pending) {
    // Who sleeps was woken by nobody, and could have been by nobody before.
    if (pending.sleeps || !is_visible(pending.operation)) continue;
    if (trace.end == End::stopped && pending.enabled) continue;  // it was run from elsewhere, and is asleep
    order_.append(event_of(pending));
    const auto late = static_cast<Index>(order_.size() - 1);
    const bool stops = path_[last].stops;
    if (stops && is_option(last, {pending.thread, pending.via})) {
      reverse(late, last);  // it does what is put down there, and its races are seen then
    } else if (stops && order_.causes(last, late)) {
      // It comes only behind the end.
    } else if (stops || !pending.enabled) {
      reverse(late, reversal_of_blocked(order_, late));
    }
    if (algorithm_ == Algorithm::bounded || !(stops || !pending.enabled)) reverse_races(late);
    order_.truncate(late);
  }
}

// The later step is to come before the earlier one.
void Dpor::reverse(Index late, Index early) {
  const Option option =
      late < path_.size() ? path_[late].step.option : Option{order_.event(late).thread, Via::run};
  put_down(late, early, {option, 0});
}

// What the late step is expected to do before the early one, if it is taken so.
PlannedStep Dpor::turned_round(Index late, Index early, const Step& taken) const {
  if (late >= path_.size()) return {taken, order_.event(late), 0};
  if (taken.option != path_[late].step.option) return unknown_step(taken);
  return {taken, as_reversed(order_, late, early), path_[late].events_after};
}

// Before the early step: what does not depend on it, and the late one, taken as is given.
void Dpor::put_down(Index late, Index early, const Step& taken) {
  if (algorithm_ == Algorithm::bounded) return put_within_bound(early, taken.option);
  // Mostly the step itself sleeps there, and nothing is needed to come to it.
  const Index previous = order_.previous(late);
  const bool is_first = previous == PartialOrder::kNone || previous < early;
  if (is_first && sleeps(early, taken) && !needs_some(early, late, early + 1)) return;
  const bool is_whole = algorithm_ == Algorithm::optimal && !is_by_chance(taken.option.via);
  if (is_whole && early >= floor_ && put_down_as_it_came(early, late, taken)) return;
  find_needed(early, late);
  const PlannedStep turned = turned_round(late, early, taken);
  Sequence& sequence = sequence_;
  sequence.begin(order_);
  Index last = late;
  for (Index i = early + 1; i < path_.size(); ++i) {
    if (i == late) sequence.add_reversed(turned);
    if (!is_whole && i > late) break;
    if (i == late || is_left_out(early, i)) continue;
    sequence.add(planned(i), i, i < late && needed_[i - early]);
    last = std::max(last, i);
  }
  if (late >= path_.size()) sequence.add_reversed(turned);
  const bool cut_off = path_.back().stops;
  const StandsFor asleep = is_asleep(early, sequence, cut_off);
  bool lasts = asleep == StandsFor::all;
  if (asleep != StandsFor::none) {
    // Nothing is needed.
  } else if (algorithm_ == Algorithm::persistent) {
    return add_thread(early, turned, sequence[0]);
  } else if (early < floor_) {
    lasts = report(early, sequence);
  } else {
    lasts = put_sequence(early, sequence);
  }
  if (!lasts && is_whole && late < path_.size()) provisos_.push_back({late, early, last});
}

// Follows in the wakeup tree there what the sequence has in common with all that have the race, step by step
// as it came, to the one that is turned round or to a leaf; and puts down behind it what is missing. Mostly
// that is all, and the sequence need not be made. False: something that waits or sleeps there may come first
// in it; nothing was put down. Up to the branch the tree is the same as for the executions before.
bool Dpor::put_down_as_it_came(Index early, Index late, const Step& taken) {
  Point& point = path_[early];
  std::optional<PlannedStep> turned;
  // Of the branches the one that begins with that step of the sequence, or kNone; is_sure becomes false where
  // one before it may come first.
  bool is_sure = true;
  auto find = [&](const WakeupTrees::Branches& branches, Index i) {
    const Step& step = i == late ? taken : path_[i].step;
    WakeupTrees::Node node = branches.first;
    for (; node != WakeupTrees::kNone && is_sure; node = trees_.next(node)) {
      const PlannedStep& waits = trees_.step(node);
      if (waits.step == step) break;
      if (i < late && depends_anyway(waits.event, order_.event(i))) continue;
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
    if (i != late && is_left_out(early, i)) continue;
    const WakeupTrees::Node node = find(branches, i);
    if (!is_sure) return false;
    if (node == WakeupTrees::kNone) break;
    passed = passed || node != branches.first;
    parent = node;
    branches = below();
    if (i == late || branches.empty()) {
      trees_.leave_to(parent);
      return true;
    }
  }
  // Of what was passed on the way by an earlier call, for another late step.
  if (passed_before) {
    WakeupTrees::Branches branches = point.branches;
    for (Index k = early + 1; k < begin; ++k) {
      if (is_left_out(early, k)) continue;
      const WakeupTrees::Node node = find(branches, k);
      if (!is_sure) return false;
      branches = trees_.below(node);
    }
  }
  for (const Sleeper& sleeper : sleepers(early)) {
    if (may_come_first(sleeper.planned, early + 1, early, late, taken, turned)) return false;
  }
  for (; i < std::max(static_cast<Index>(path_.size()), late + 1); ++i) {
    if (i == late) {
      if (!turned) turned = turned_round(late, early, taken);
      parent = trees_.add_below(point.branches, parent, *turned);
      trees_.leave_to(parent);
    } else if (!is_left_out(early, i)) {
      parent = trees_.add_below(point.branches, parent, planned(i));
    }
  }
  return true;
}

// Whether a step is none of the sequences that are put down before the early one.
bool Dpor::is_left_out(Index early, Index i) const {
  // Nothing comes behind a step that ends the execution.
  return path_[i].stops || order_.ordered(early, i);
}

// Whether the step might come first in what the sequence has from there on, in some execution that has the
// race. turned: the late step, turned round, where that was asked for.
bool Dpor::may_come_first(const StepView& step, Index from, Index early, Index late, const Step& taken,
                          std::optional<PlannedStep>& turned) const {
  const ThreadId thread = step.event->thread;
  const Index end = std::min(late, static_cast<Index>(path_.size()));
  for (Index i = from; i < end; ++i) {
    if (order_.event(i).thread != thread || is_left_out(early, i)) continue;
    if (path_[i].step != step.step) return false;
    for (Index before = from; before < i; ++before) {
      if (order_.ordered(before, i) && !is_left_out(early, before)) return false;
    }
    return true;
  }
  if (order_.event(late).thread == thread) return step.step == taken && !needs_some(early, late, from);
  if (!turned) turned = turned_round(late, early, taken);
  if (!commute(step, *turned)) return false;
  for (Index i = from; i < end; ++i) {
    if (!is_left_out(early, i) && !commute(step, planned(i))) return false;
  }
  return true;
}

// Where it is not there yet. It is used up. Whether what is there stands for all that have the race.
bool Dpor::put_sequence(Index depth, Sequence& sequence) {
  Point& point = path_[depth];
  if (algorithm_ == Algorithm::optimal) return trees_.insert(point.branches, sequence);
  if (begins_with(point.branches, sequence) == StandsFor::none) trees_.add_last(point.branches, sequence[0]);
  return true;
}

// Whether the late step, were it to come before the early one, needs any that does not depend on that, from
// the given one on.
bool Dpor::needs_some(Index early, Index late, Index from) const {
  const StepView last{{}, order_.event(late)};
  for (Index i = std::min(late, static_cast<Index>(path_.size())); i-- > from;) {
    if (!order_.ordered(early, i) && (order_.causes(i, late) || !commute(planned(i), last))) return true;
  }
  return false;
}

// Which of those it needs.
void Dpor::find_needed(Index early, Index late) {
  needed_.assign(late - early, false);
  const StepView last{{}, order_.event(late)};
  past_.assign_causes_of(order_, late);
  for (Index i = std::min(late, static_cast<Index>(path_.size())); --i > early;) {
    if (order_.ordered(early, i)) continue;
    if (!past_.has(order_, i)) {
      if (commute(planned(i), last)) continue;
      past_.add(order_, i);
    }
    needed_[i - early] = true;
  }
}

// Whether to run the sequence comes to the same as to begin with a step that was run there.
Dpor::StandsFor Dpor::comes_to(const Sequence& sequence, const StepView& run, bool stops, bool is_whole) {
  std::size_t at = Sequence::kNone;
  if (!sequence.may_begin_with(run, at)) return StandsFor::none;
  if (at != Sequence::kNone) return sequence.is_common(at) ? StandsFor::all : StandsFor::this_one;
  // That the sequence can go on behind a step that nothing came behind is not known; nor is what else would
  // have come, where not all of it is here, or the execution was cut off.
  return !stops && is_whole ? StandsFor::this_one : StandsFor::none;
}

// Whether to run the sequence there would come to the same as what was run from there before.
Dpor::StandsFor Dpor::is_asleep(Index depth, const Sequence& sequence, bool cut_off) const {
  StandsFor most = StandsFor::none;
  if (algorithm_ == Algorithm::bounded) return most;
  const bool is_whole = algorithm_ == Algorithm::optimal && !cut_off;
  for (const Sleeper& sleeper : sleepers(depth)) {
    most = std::max(most, comes_to(sequence, sleeper.planned, sleeper.stops, is_whole && !sleeper.weak));
    if (most == StandsFor::all) break;
  }
  return most;
}

// Whether the sequence holds a step that one of the branches begins with, and could begin with it.
Dpor::StandsFor Dpor::begins_with(const WakeupTrees::Branches& branches, const Sequence& sequence) const {
  StandsFor most = StandsFor::none;
  for (auto node = branches.first; node != WakeupTrees::kNone; node = trees_.next(node))
    most = std::max(most, comes_to(sequence, trees_.step(node), false, false));
  return most;
}

// The thread of the step that is turned round, or, where that sleeps, one that begins what leads there.
void Dpor::add_thread(Index depth, const StepView& turned, const StepView& first) {
  if (!is_option(depth, turned.step.option)) return add_all(depth);
  if (trees_.holds(path_[depth].branches, turned.step)) return;
  const StepView& added = is_known(depth, turned.step) ? first : turned;
  if (!is_known(depth, added.step)) add_step(depth, added);
}

void Dpor::add_all(Index depth) {
  if (algorithm_ == Algorithm::bounded) return put_within_bound(depth, {kNoThread, Via::run});
  for (std::size_t i = 0; i < path_[depth].options_count; ++i) {
    Step step{options(depth)[i], 0};
    if (!is_known(depth, step)) add_step(depth, unknown_step(step));
  }
}

void Dpor::add_step(Index depth, const StepView& step) {
  trees_.add_last(path_[depth].branches, step);
  if (depth < floor_) reports_.add(depth, std::span(&step, 1));
}

}  // namespace thrum
