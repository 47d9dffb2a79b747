// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/backtracking.hpp"

#include <algorithm>

namespace thrum {

bool cuts_off(const Trace& trace) {
  if (trace.end == End::assumption || is_cut_by_limit(trace.end)) return true;
  return trace.end == End::bug && trace.failure.kind != BugKind::deadlock &&
         trace.failure.kind != BugKind::livelock;
}

const Backtracking::Insertion Backtracking::kInsertions[] = {
    {false, &Backtracking::insert_thread},   // Algorithm::persistent
    {false, &Backtracking::insert_initial},  // source
    {true, &Backtracking::insert_sequence},  // optimal
};

Backtracking::Backtracking(Algorithm algorithm)
    : runs_none_twice_(algorithm == Algorithm::optimal),
      insertion_(&kInsertions[static_cast<std::size_t>(algorithm)]) {}

void Backtracking::find_branches(const Trace& trace, Index branch) {
  branch_ = branch;
  path_.back().stops = cuts_off(trace);
  runs_none_twice_ = runs_none_twice_ && !path_.back().stops;
  for (Index step = branch_; step < path_.size(); ++step) find_alternatives(step, trace);
  recheck_races();
  for (Index step = branch_; step < path_.size(); ++step) reverse_races(step);
  if (path_.back().stops) reverse_end(trace);
  reverse_pending(trace);
}

void Backtracking::learn_conditions(const Trace& trace) {
  for (const Refusal& refusal : trace.refusals)
    conditions_.learn(refusal.condition, refusal.value, Conditions::Answer::refused);
  for (const Await& await : trace.awaits)
    conditions_.learn(await.condition, trace.events[await.event].value, Conditions::Answer::enabled);
}

std::vector<Backtracking::Attempt> Backtracking::find_attempts(const Trace& trace, Index branch) {
  std::vector<Attempt> attempts;
  PartialOrder& order = path_.order();
  const Index end = cuts_off(trace) ? path_.size() - 1 : PartialOrder::kNone;
  if (!conditions_.empty()) {
    for (Index late = branch; late < path_.size(); ++late) add_attempts(late, PartialOrder::kNone, attempts);
  }
  for (const PendingOperation& pending : trace.pending) {
    if (pending.condition == 0) continue;
    order.append(event_of(pending), false, {}, pending.condition);
    add_attempts(path_.size(), end, attempts);
    order.truncate(path_.size());
  }
  return attempts;
}

void Backtracking::add_attempts(Index late, Index end, std::vector<Attempt>& attempts) {
  const PartialOrder& order = path_.order();
  if (order.condition(late) == 0) return;
  reversals_.of_await(path_, late, conditions_, end);
  for (const auto& [early, value] : reversals_.unknown()) {
    const Refusal what{order.condition(late), value};
    if (std::ranges::find(attempts, what, &Attempt::what) != attempts.end()) continue;
    Attempt& attempt = attempts.emplace_back();
    attempt.what = what;
    attempt.thread = order.event(late).thread;
    const Index previous = order.previous(late);
    attempt.index = previous == PartialOrder::kNone ? 0 : path_[previous].events_after;
    attempt.early = early;
    find_needed(early, late);
    ChoiceKey key = path_[early].key;
    for (Index i = early + 1; i < std::min(late, path_.size()); ++i) {
      if (!needed_[i - early]) continue;
      const Step& step = path_[i].step;
      attempt.steps.push_back({key, step.option});
      const std::vector<Departure>& choices = path_.choices()[step.choices];
      attempt.steps.insert(attempt.steps.end(), choices.begin(), choices.end());
      key = {step.option.value, ChoiceKind::thread, path_[i].events_after};
    }
    attempt.steps.push_back({key, {attempt.thread, Via::run}});
  }
}

std::size_t Backtracking::plan_attempt(const Attempt& attempt, Plan& plan) const {
  plan_steps(plan, 0, attempt.early);
  const std::size_t known = plan.departures.size();
  plan.departures.insert(plan.departures.end(), attempt.steps.begin(), attempt.steps.end());
  return known;
}

void Backtracking::plan_steps(Plan& plan, Index from, Index end) const {
  for (Index depth = from; depth < end; ++depth) {
    const Point& point = path_[depth];
    if (!point.by_default) plan.departures.emplace_back(point.key, point.step.option);
    const std::vector<Departure>& choices = path_.choices()[point.step.choices];
    plan.departures.insert(plan.departures.end(), choices.begin(), choices.end());
  }
}

bool Backtracking::learn_attempt(const Attempt& attempt, const Trace& trace) {
  learn_conditions(trace);
  const bool was_done = std::ranges::any_of(trace.events, [&](const Event& event) {
    return event.thread == attempt.thread && event.index == attempt.index && is_visible(event.operation);
  });
  conditions_.learn(attempt.what.condition, attempt.what.value,
                    was_done ? Conditions::Answer::enabled : Conditions::Answer::refused);
  return was_done || trace.end == End::stopped;
}

// What the step could have been instead, by its thread's own will or by chance; and what could have happened
// by chance, and cannot any more.
void Backtracking::add_alternatives(Index depth) {
  if (!path_[depth].has_chances) return;
  runs_none_twice_ = false;
  const Step taken = path_[depth].step;
  std::span<const Option> after;
  if (depth + 1 < path_.size()) after = path_.options(depth + 1);
  for (const Option& option : path_.options(depth)) {
    if (option == taken.option) continue;
    bool is_lost = option.via != Via::run && std::find(after.begin(), after.end(), option) == after.end();
    if ((option.value == taken.option.value || is_lost) && !is_known(depth, {option, 0}))
      trees_.add_last(path_[depth].branches, unknown_step({option, 0}));
  }
}

// Those, and each choice in its middle made otherwise.
void Backtracking::find_alternatives(Index depth, const Trace& trace) {
  add_alternatives(depth);
  Point& point = path_[depth];
  if (point.inner_count == 0) return;
  // Each choice in the middle of the step: the ones before it as they were made, and another one here. Of an
  // alternative, those up to where it differs were added with it.
  const Step taken = point.step;
  bool is_added = point.alternative && taken.choices != 0;
  const ChoiceKey differs = is_added ? path_.choices()[taken.choices].back().key : ChoiceKey{};
  std::vector<Departure> choices;
  for (std::size_t i = 0; i < point.inner_count; ++i) {
    const ChoicePoint& made = trace.choices[point.inner_begin + i];
    std::span<const Option> options = trace.options_of(made);
    const std::uint16_t fallback = default_option(made, options, Base::nonpreemptive);
    for (std::size_t k = is_added ? 0 : options.size(); k-- > 0;) {
      if (k == made.taken) continue;
      if (k != fallback) choices.push_back({made.key, options[k]});
      const Step step{taken.option, path_.choices().number_of(choices)};
      // First, so that all of them are run before any other thread is: when all sleep, the thread is covered.
      trees_.bring_first(point.branches, step);
      PlannedStep other{step, path_.order().event(depth), point.events_after};
      other.alternative = true;
      Sequence alone;
      alone.begin(path_.order());
      alone.add(other, depth, false);
      if (!is_known(depth, step) && cover_by_sleepers(depth, alone, path_.back().stops) == Cover::none)
        trees_.add_first(point.branches, other);
      if (k != fallback) choices.pop_back();
    }
    if (made.taken != fallback) choices.push_back({made.key, options[made.taken]});
    if (made.key == differs) is_added = false;
  }
}

bool Backtracking::is_known(Index depth, const Step& step) const {
  return path_[depth].step == step || path_.sleeps(depth, step) || trees_.holds(path_[depth].branches, step);
}

void Backtracking::reverse_races(Index late) {
  if (path_.order().condition(late) != 0) return apply(late, reversals_.of_await(path_, late, conditions_));
  for (Index rival : path_.order().rivals(late)) apply(late, reversals_.of_race(path_, late, rival));
}

void Backtracking::apply(Index late, std::span<const Reversals::Found> found) {
  for (const Reversals::Found& reversal : found) {
    if (reversal.is_sure) {
      insert(late, reversal.early, reversal.taken);
    } else {
      add_all(reversal.early);
    }
  }
}

// The races of steps before the branch whose reversals may not be covered with another tail.
void Backtracking::recheck_races() {
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

bool Backtracking::has_another_tail(const Proviso& proviso) const {
  if (proviso.last >= branch_) return true;
  for (Index i = branch_; i < path_.size(); ++i) {
    if (!happens_after(proviso.early, i)) return true;
  }
  return false;
}

// What ended the execution is no step, and came as soon as all that happens before it was there. Whichever
// step of that comes last is then the end, though they may be independent otherwise.
void Backtracking::reverse_end(const Trace& trace) {
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
void Backtracking::reverse_pending(const Trace& trace) {
  PartialOrder& order = path_.order();
  const auto last = static_cast<Index>(path_.size() - 1);
  const bool stops = path_[last].stops;
  for (const PendingOperation& pending : trace.pending) {
    // Who sleeps was woken by nobody, and could have been by nobody before.
    if (pending.sleeps || !is_visible(pending.operation)) continue;
    if (trace.end == End::stopped && pending.enabled) continue;  // it was run from elsewhere, and is asleep
    order.append(event_of(pending), false, {}, pending.condition);
    const auto late = static_cast<Index>(order.size() - 1);
    if (pending.condition != 0) {
      apply(late, reversals_.of_await(path_, late, conditions_, stops ? last : PartialOrder::kNone));
    } else if (!stops && pending.enabled) {
      reverse_races(late);
    } else {
      if (stops && path_.is_option(last, {pending.thread, pending.via})) {
        insert(late, last, Reversals::as_taken(path_, late));  // its races are seen when it is run there
      } else if (!stops || !order.causes(last, late)) {        // else it comes only behind the end
        apply(late, reversals_.of_blocked(path_, late));
      }
      reverse_races_of_last(late);
    }
    order.truncate(late);
  }
}

// What the late step is expected to do before the early one, if it is taken so.
PlannedStep Backtracking::reversed(Index late, Index early, const Step& taken) const {
  if (late >= path_.size()) return {taken, path_.order().event(late), 0};
  if (taken.option != path_[late].step.option) return unknown_step(taken);
  return {taken, as_reversed(path_.order(), late, early), path_[late].events_after};
}

void Backtracking::insert(Index late, Index early, const Step& taken) {
  const bool needs_any = find_needed(early, late);
  const bool was_pending = path_.order().was_pending(late, early);
  if (was_pending && !needs_any && path_.sleeps(early, taken)) return;  // it covers all of the race
  // By chance a step may be possible at the point and not behind the rest of the reversal.
  const bool is_whole = insertion_->is_whole && !is_by_chance(taken.option.via);
  const PlannedStep turned = reversed(late, early, taken);
  Sequence& reversal = sequence_;
  reversal.begin(path_.order());
  Index last = late;
  for (Index i = early + 1; i < path_.size(); ++i) {
    if (i == late) reversal.add_reversed(turned);
    if (!is_whole && i > late) break;
    if (i == late || happens_after(early, i)) continue;
    reversal.add(path_.planned(i), i, i < late && needed_[i - early]);
    last = std::max(last, i);
  }
  if (late >= path_.size()) reversal.add_reversed(turned);
  const Cover asleep = cover_by_sleepers(early, reversal, path_.back().stops);
  const bool covers_all =
      asleep == Cover::none ? (this->*insertion_->insert)(early, turned, reversal) : asleep == Cover::all;
  if (!covers_all && is_whole && late < path_.size()) provisos_.push_back({late, early, last});
}

// Whether a step is none of notdep(early). Nothing comes behind a step that ends the execution.
bool Backtracking::happens_after(Index early, Index i) const {
  return path_[i].stops || path_.order().ordered(early, i);
}

bool Backtracking::find_needed(Index early, Index late) {
  const PartialOrder& order = path_.order();
  needed_.assign(late - early, false);
  const StepView last{{}, order.event(late)};
  past_.assign_causes_of(order, late);
  bool any = false;
  for (Index i = std::min(late, path_.size()); --i > early;) {
    if (order.ordered(early, i)) continue;
    if (!past_.has(order, i)) {
      if (commute(path_.planned(i), last)) continue;
      past_.add(order, i);
    }
    needed_[i - early] = any = true;
  }
  return any;
}

// Whether a step that was run there, or is to be, covers the reversal. is_whole: also if the reversal does
// not contain it, and merely commutes with it.
Backtracking::Cover Backtracking::covers(const StepView& run, bool stops, const Sequence& reversal,
                                         bool is_whole) {
  std::size_t at = Sequence::kNone;
  if (!reversal.may_begin_with(run, at)) return Cover::none;
  if (at != Sequence::kNone) return reversal.is_common(at) ? Cover::all : Cover::this_one;
  // That the sequence can go on behind a step that nothing came behind is not known; nor is what else would
  // have come, where not all of it is here, or the execution was cut off.
  return !stops && is_whole ? Cover::this_one : Cover::none;
}

Backtracking::Cover Backtracking::cover_by_sleepers(Index depth, const Sequence& reversal,
                                                    bool cut_off) const {
  Cover most = Cover::none;
  const bool is_whole = insertion_->is_whole && !cut_off;
  for (const Sleeper& sleeper : path_.sleepers(depth)) {
    most = std::max(most, covers(sleeper.planned, sleeper.stops, reversal, is_whole && !sleeper.weak));
    if (most == Cover::all) break;
  }
  return most;
}

// By the first step of some branch, which the reversal contains.
Backtracking::Cover Backtracking::cover_by_first_steps(Index depth, const Sequence& reversal) const {
  Cover most = Cover::none;
  for (auto node = path_[depth].branches.first; node != WakeupTrees::kNone; node = trees_.next(node))
    most = std::max(most, covers(trees_.step(node), false, reversal, false));
  return most;
}

bool Backtracking::insert_sequence(Index depth, const StepView&, Sequence& reversal) {
  return depth < floor_ ? report(depth, reversal) : trees_.insert(path_[depth].branches, reversal);
}

bool Backtracking::insert_initial(Index depth, const StepView&, Sequence& reversal) {
  if (depth < floor_) return report(depth, reversal);
  if (cover_by_first_steps(depth, reversal) == Cover::none)
    trees_.add_last(path_[depth].branches, reversal[0]);
  return true;
}

// The thread of the step that is turned round, or, where that sleeps, the first step of what leads there. The
// same where the thread may stand before an await there, of which more is known now than when the options
// were listed, so that it may be none.
bool Backtracking::insert_thread(Index depth, const StepView& turned, Sequence& reversal) {
  if (!path_.is_option(depth, turned.step.option)) {
    add_all(depth);
  } else if (!trees_.holds(path_[depth].branches, turned.step)) {
    std::size_t at = Sequence::kNone;
    const bool is_enabled = conditions_.empty() || reversal.may_begin_with(turned, at);
    const StepView& added = !is_enabled || is_known(depth, turned.step) ? reversal[0] : turned;
    if (!is_known(depth, added.step)) add_step(depth, added);
  }
  return true;
}

void Backtracking::add_all(Index depth) {
  runs_none_twice_ = false;
  for (const Option& option : path_.options(depth)) {
    if (!is_known(depth, {option, 0})) add_step(depth, unknown_step({option, 0}));
  }
}

void Backtracking::add_step(Index depth, const StepView& step) {
  trees_.add_last(path_[depth].branches, step);
  if (depth < floor_) add_report(depth, std::span(&step, 1));
}

void Backtracking::run_again(Index depth, PlannedStep step, bool& awake) {
  if (awake) return;
  runs_none_twice_ = false;
  awake = true;
  step.awake = true;
  if (!trees_.holds(path_[depth].branches, step.step)) trees_.add_last(path_[depth].branches, step);
}

// A reversal at a point that belongs to another search. Only initials up to the reversed step are reported:
// the others may be none where the execution goes on otherwise. Whether each reversal of the race is covered.
bool Backtracking::report(Index depth, const Sequence& reversal) {
  const Cover by_branch = cover_by_first_steps(depth, reversal);
  if (by_branch != Cover::none) return by_branch == Cover::all;
  std::vector<StepView> initials;
  for (std::size_t i = 0; i < reversal.size() && reversal.is_common(i); ++i) {
    std::size_t at = Sequence::kNone;
    if (reversal.may_begin_with(reversal[i], at) && at == i) initials.push_back(reversal[i]);
  }
  trees_.add_last(path_[depth].branches, initials[0]);
  add_report(depth, initials);
  return false;
}

void Backtracking::add_report(Index depth, std::span<const StepView> steps) {
  for (const StepView& step : steps) reports_.push_back({depth, &step == steps.data(), step.kept()});
}

}  // namespace thrum
