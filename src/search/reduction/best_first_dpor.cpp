// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/best_first_dpor.hpp"

#include <algorithm>
#include <utility>

#include "support/check.hpp"

namespace thrum {

namespace {

// Only its thread is known.
PlannedStep any_step_of(const Option& option) { return unknown_step({option, 0}); }

bool is_unknown(const PlannedStep& planned) { return planned.event.operation == Operation::process_exit; }

bool sleeps_in(const BacktrackSets::Entry& entry, const BacktrackSets::Entry& later) {
  return entry.order < later.order && entry.sleeps && !later.awake;
}

Fringe::Settings keeping_inner(Fringe::Settings settings) {
  settings.keeps_inner = true;
  return settings;
}

}  // namespace

BestFirstDpor::BestFirstDpor(Settings settings)
    : settings_(std::move(settings)),
      backtracking_(Backtracking::Algorithm::persistent),
      fringe_(keeping_inner(settings_.fringe)) {
  fringe_.push_plan({}, 0, 0);
}

bool BestFirstDpor::next(Plan& plan) {
  repeats_ = is_open_;
  plan.policy = Policy{};
  plan.policy.rounds = settings_.rounds;
  plan.departures.clear();
  if (!attempts_.empty()) {
    known_departures_ = backtracking_.plan_attempt(attempts_.back(), plan);
    return true;
  }
  if (!is_open_ && !fringe_.pop(running_)) return false;
  fringe_.path(running_, plan.departures);
  const std::vector<Group> last = std::exchange(groups_, {});
  find_groups(plan);
  keep_shared(last);
  last_node_ = running_.node;
  known_departures_ = 0;
  if (groups_.empty()) return true;
  // The thread was seen to be able to go on there, unless it is a guess; what it is to choose then, perhaps
  // not.
  const Group before = groups_.size() > 1 ? groups_[groups_.size() - 2] : Group{};
  const bool is_guess = sets_.is_guess(before.node, groups_.back().key, groups_.back().step);
  known_departures_ = before.end + (is_guess ? 0 : 1);
  return true;
}

void BestFirstDpor::find_groups(const Plan& plan) {
  fringe_.lineage(running_, lineage_);
  for (std::size_t i = 0; i < plan.departures.size();) {
    Group group{plan.departures[i].key, i + 1, lineage_[i], 0, {plan.departures[i].option, 0}};
    while (group.end < plan.departures.size() && plan.departures[group.end].key.kind != ChoiceKind::thread)
      ++group.end;
    departures_.assign(plan.departures.begin() + static_cast<std::ptrdiff_t>(i + 1),
                       plan.departures.begin() + static_cast<std::ptrdiff_t>(group.end));
    group.step.choices = path().choices().number_of(departures_);
    group.node = lineage_[group.end - 1];
    groups_.push_back(group);
    i = group.end;
  }
}

// The plan has the steps of the last path in common with it up to the first departure that only one of the
// two makes.
void BestFirstDpor::keep_shared(const std::vector<Group>& last) {
  std::size_t shared = 0;
  // The last departure is new, though a plan that runs once more departs as another one did.
  while (shared < last.size() && shared + 1 < groups_.size() && last[shared].key == groups_[shared].key &&
         last[shared].step == groups_[shared].step)
    ++shared;
  auto departs = [&](const std::vector<Group>& groups, const Point& point) {
    return shared < groups.size() && groups[shared].key == point.key;
  };
  auto stays = [&](const Point& point) { return !departs(last, point) && !departs(groups_, point); };
  Index depth = 0;
  if (!std::exchange(is_stale_, false)) {
    while (depth < path().size() && stays(path()[depth])) ++depth;
  }
  keep_first(depth == path().size() ? 0 : depth);  // else nothing was run, or nothing of it is in the way
  is_met_ = is_open_;
  rewind();
}

// That many steps of the path.
void BestFirstDpor::keep_first(Index depth) {
  read_from_ = depth;
  reads_from_ = {};
  first_group_ = 0;
  if (depth == 0) return;
  const Point& point = path()[depth];
  reads_from_.event = point.event;
  reads_from_.choice = point.choice == Path::kNoChoice ? point.inner_begin : point.choice;
  reads_from_.depth = depth;
  first_group_ = groups_before_[depth];
}

// Forgets what was read of the execution that runs.
void BestFirstDpor::rewind() {
  reading_ = reads_from_;
  group_ = first_group_;
  groups_before_.resize(read_from_);
  path().truncate(read_from_);
  if (read_from_ != 0) {
    path().push_unread();
  } else {
    path().order() = PartialOrder();
  }
}

void BestFirstDpor::begin() {
  if (reading_.event != reads_from_.event) rewind();
}

BestFirstDpor::Node BestFirstDpor::owner(Index depth) const {
  const std::uint32_t before = groups_before_[depth];
  return before == 0 ? ExecutionTree::kRoot : groups_[before - 1].node;
}

void BestFirstDpor::meet(Index depth) {
  groups_before_.push_back(static_cast<std::uint32_t>(group_));
  Point& point = path()[depth];
  Set* set = sets_.find(owner(depth), depth);
  const bool departs = group_ < groups_.size() && groups_[group_].key == point.key;
  if (departs) {
    at_branch_ = depth;
    ++group_;
    if (is_at_branch() && !std::exchange(is_met_, true)) {
      THRUM_CHECK(set != nullptr);
      Entry* entry = set->find_waiting(groups_.back().step);
      THRUM_CHECK(entry != nullptr);
      entry->node = groups_.back().top;
      entry->order = set->runs++;
    }
  }
  if (set == nullptr) return;
  const Entry* taken = taken_at(depth);
  if (taken->event != BacktrackSets::kUnknown) point.foe = sets_.event(taken->event).foe;
  for (const Entry& entry : set->entries) {
    if (!sleeps_in(entry, *taken)) continue;
    Path::Sleeper& sleeper = path().add_sleeper();
    sleeper.planned = sets_.event(entry.event);
    sleeper.planned.step = entry.step;
    sleeper.stops = entry.stops;
  }
}

// Where it has become known that an await is refused, a choice may have only one option left, and then it is
// none any more. The steps that were kept know their choices by number.
bool BestFirstDpor::has_kept_choices(const Trace& trace) const {
  for (Index depth = read_from_; depth-- > 0;) {
    const Point& point = path()[depth];
    if (point.choice == Path::kNoChoice) continue;
    return point.choice < trace.choices.size() && trace.choices[point.choice].key == point.made.key;
  }
  return true;
}

// Reads the steps that were run since the execution was read last.
void BestFirstDpor::read_on(const Trace& trace) {
  if (reading_.event == reads_from_.event && !has_kept_choices(trace)) {
    keep_first(0);
    rewind();
  }
  while (path().read_next(trace, reading_, read_from_)) meet(reading_.depth - 1);
}

Advice BestFirstDpor::at_point(const View& view) {
  if (!is_at_branch()) {
    if (view.point.key.kind != ChoiceKind::thread) return {};
    read_on(view.trace);
    if (!is_at_branch()) return {};
    asleep_.set(path().sleepers(at_branch_), path()[at_branch_].event);
    asleep_.begin();
  }
  return asleep_.at_point(view);
}

void BestFirstDpor::learn(const Plan& plan, const Trace& trace) {
  THRUM_CHECK(!trace.begins_again);  // where all events are wanted, the whole search begins again
  if (!attempts_.empty()) {
    is_lost_ = !backtracking_.learn_attempt(attempts_.back(), trace) || is_lost_;
    return attempts_.pop_back();
  }
  is_open_ = false;
  backtracking_.learn_conditions(trace);
  read_on(trace);
  if (!is_at_branch()) {
    push_default();
    return finish();
  }
  if (path().empty()) return finish();
  attempts_ = backtracking_.find_attempts(trace, groups_.empty() ? 0 : at_branch_);
  is_open_ = !attempts_.empty();
  if (is_open_) return;
  if (settings_.priorities.needs_events()) analysis_.begin(plan, trace);
  for (Index depth = 0; depth < path().size(); ++depth) show_known(depth);
  backtracking_.find_branches(trace, groups_.empty() ? 0 : at_branch_);
  if (!groups_.empty()) describe(at_branch_, *taken_at(at_branch_));
  if (path().back().stops) {
    for (Index depth = 0; depth < path().size(); ++depth) push_again(depth);
  }
  add_advised();
  fringe_.note_length(static_cast<std::uint32_t>(path().size()));
  // Among equals the deepest point is pushed last and so served first.
  for (Index depth = 0; depth < path().size(); ++depth) push_new(depth, trace);
  finish();
}

// The step of the path that goes on from there, as the set there has it.
BestFirstDpor::Entry* BestFirstDpor::taken_at(Index depth) {
  Set* set = sets_.find(owner(depth), depth);
  if (set == nullptr) return nullptr;
  const std::uint32_t before = groups_before_[depth];
  const bool departs = before < groups_.size() && groups_[before].key == path()[depth].key;
  Entry* const run = departs ? set->find_run(groups_[before].top) : nullptr;
  return run != nullptr ? run : set->entries.data();
}

// Records what the step did that was run there.
void BestFirstDpor::describe(Index depth, Entry& entry) {
  const Point& point = path()[depth];
  entry.event = sets_.number_of(path().planned(depth));
  entry.stops = point.stops;
  entry.sleeps = point.inner_count == 0;
  entry.is_guess = false;
}

// Makes the set if there is none: all executions that passed the point so far went on as this one does.
BestFirstDpor::Set& BestFirstDpor::set_at(Index depth) {
  if (Set* set = sets_.find(owner(depth), depth)) return *set;
  Entry first{path()[depth].step};
  describe(depth, first);
  return sets_.make(owner(depth), depth, path()[depth].key, first);
}

// The steps of the backtrack set become branches of the point, so that they are not inserted again. Sleeping
// steps are known anyway.
void BestFirstDpor::show_known(Index depth) {
  Set* set = sets_.find(owner(depth), depth);
  if (set == nullptr) return;
  const Entry& taken = *taken_at(depth);
  for (const Entry& entry : set->entries) {
    if (&entry == &taken || sleeps_in(entry, taken)) continue;
    PlannedStep known = any_step_of(entry.step.option);
    known.step = entry.step;
    backtracking_.trees().add_last(path()[depth].branches, known);
  }
}

// Behind the branch the execution departed from the default where it was advised to.
void BestFirstDpor::add_advised() {
  const bool is_root = groups_.empty();
  for (Index depth = is_root ? 0 : at_branch_ + 1; depth < path().size(); ++depth) {
    groups_before_[depth] = static_cast<std::uint32_t>(groups_.size());
    const Point& point = path()[depth];
    if (point.by_default) continue;
    const Node node = fringe_.add(last_node_, {point.key, point.step.option}, depth);
    sets_.continue_as_child(last_node_);
    if (last_node_ != running_.node) fringe_.release(last_node_, [](Node, Node, const Departure&) {});
    groups_.push_back({point.key, 0, node, node, {point.step.option, 0}});
    last_node_ = node;
  }
}

void BestFirstDpor::push_new(Index depth, const Trace& trace) {
  WakeupTrees& trees = backtracking_.trees();
  WakeupTrees::Branches& branches = path()[depth].branches;
  here_.clear();
  for (auto node = branches.first; node != WakeupTrees::kNone; node = trees.next(node))
    here_.push_back(trees.step(node));
  trees.clear(branches);
  for (std::size_t i = here_.size(); i-- > 0;) {
    Set* set = sets_.find(owner(depth), depth);
    if (set != nullptr && set->find(here_[i].step) != nullptr) continue;
    if (path().is_option(depth, here_[i].step.option)) {
      push_one(depth, here_[i], trace);
    } else {
      push_all(depth, trace);
    }
  }
}

// Every thread that may lead to a step that cannot be taken there.
void BestFirstDpor::push_all(Index depth, const Trace& trace) {
  for (std::size_t i = path()[depth].options_count; i-- > 0;) {
    const PlannedStep any = any_step_of(path().options(depth)[i]);
    Set* set = sets_.find(owner(depth), depth);
    if (backtracking_.is_known(depth, any.step) || (set != nullptr && set->find(any.step) != nullptr))
      continue;
    push_one(depth, any, trace);
  }
}

void BestFirstDpor::push_one(Index depth, const PlannedStep& planned, const Trace& trace) {
  std::uint32_t cost = 0;
  const std::uint64_t key = key_of(depth, planned, trace, cost);
  Entry& entry = push(set_at(depth), owner(depth), planned.step, key, cost);
  entry.is_guess = is_unknown(planned) && settings_.rounds >= Rounds::await;
}

// The step of this execution was found not to commute with another one that is independent otherwise. Steps
// that were run there after it, with it asleep, run once more with an empty sleep set.
void BestFirstDpor::push_again(Index depth) {
  if (path()[depth].foe.thread == kNoThread) return;
  is_stale_ = true;
  Set& set = set_at(depth);
  Entry& taken = *taken_at(depth);
  const bool slept = taken.sleeps;
  describe(depth, taken);
  taken.sleeps = false;
  if (!slept) return;
  std::vector<Step> again;
  for (const Entry& entry : set.entries) {
    const bool was_run = entry.order != BacktrackSets::kWaits && !entry.is_guess;
    const bool is_late = entry.order > taken.order && was_run && !entry.awake;
    if (is_late && !set.runs_again(entry.step)) again.push_back(entry.step);
  }
  for (const Step& step : again) push(set, owner(depth), step, 0, 0).awake = true;
}

// The last step of the plan could not be taken. If what it was to choose cannot be chosen there, it may
// choose what it does by default, and whatever else it can. If its thread cannot go on there, the others are
// tried.
void BestFirstDpor::push_default() {
  THRUM_CHECK(group_ + 1 == groups_.size());
  const auto depth = reading_.depth;
  const Node from = group_ == 0 ? ExecutionTree::kRoot : groups_[group_ - 1].node;
  Set* set = sets_.find(from, depth);
  THRUM_CHECK(set != nullptr);
  const Step step = groups_.back().step;
  if (Entry* entry = set->find_waiting(step)) {
    entry->node = groups_.back().top;
    entry->order = set->runs++;
  }
  const Step by_default{step.option, 0};
  if (set->find(by_default) == nullptr) push(*set, from, by_default, 0, 0);
}

BestFirstDpor::Entry& BestFirstDpor::push(Set& set, Node from, const Step& step, std::uint64_t key,
                                          std::uint32_t cost) {
  Entry& entry = sets_.add(set, step);
  ++set.live;
  departures_.assign(1, {set.key, step.option});
  const std::vector<Departure>& choices = path().choices()[step.choices];
  departures_.insert(departures_.end(), choices.begin(), choices.end());
  fringe_.push_path(from, departures_, set.depth, key, cost);
  return entry;
}

// By the choice of this execution at which it took something else.
std::uint64_t BestFirstDpor::key_of(Index depth, const PlannedStep& planned, const Trace& trace,
                                    std::uint32_t& cost) {
  const Point& point = path()[depth];
  std::size_t choice = point.choice;
  Option wanted = planned.step.option;
  if (wanted == point.step.option) {  // something else in its middle
    choice = Path::kNoChoice;
    const std::vector<Departure>& choices = path().choices()[planned.step.choices];
    for (std::size_t i = point.inner_begin; i < point.inner_begin + point.inner_count; ++i) {
      const ChoicePoint& made = trace.choices[i];
      std::span<const Option> options = trace.options_of(made);
      wanted = options[default_option(made, options, Base::nonpreemptive)];
      for (const Departure& departure : choices) {
        if (departure.key == made.key) wanted = departure.option;
      }
      choice = i;
      if (wanted != options[made.taken]) break;
    }
  }
  cost = 0;
  if (choice == Path::kNoChoice) return 0;
  const ChoicePoint& made = trace.choices[choice];
  std::span<const Option> options = trace.options_of(made);
  auto found = std::find(options.begin(), options.end(), wanted);
  if (found == options.end()) return 0;
  const auto option = static_cast<std::uint16_t>(found - options.begin());
  cost = made.cost_before + std::uint32_t{option_cost(made, options, option, Base::nonpreemptive)};
  plan_of_owner(depth);
  const bool conservative = is_unknown(planned) || planned.step.option.via != Via::run;
  Execution execution{owner_plan_, trace, analysis_, settings_.seed,
                      conservative ? TraceAnalysis::Reversal::conservative : TraceAnalysis::Reversal::exact};
  return settings_.priorities.key(execution, choice, option);
}

void BestFirstDpor::plan_of_owner(Index depth) {
  owner_plan_.departures.clear();
  for (std::uint32_t i = 0; i < groups_before_[depth]; ++i) {
    const Group& group = groups_[i];
    owner_plan_.departures.push_back({group.key, group.step.option});
    const std::vector<Departure>& choices = path().choices()[group.step.choices];
    owner_plan_.departures.insert(owner_plan_.departures.end(), choices.begin(), choices.end());
  }
}

// The plan was run. No plan that waits passes the nodes that go with it.
void BestFirstDpor::finish() {
  auto gone = [&](Node node, Node parent, const Departure& departure) {
    sets_.node_gone(node, parent, departure.key);
  };
  if (last_node_ != running_.node) fringe_.release(last_node_, gone);
  fringe_.release(running_.node, gone);
  fringe_.settle(sets_.bytes());
}

SearchStatistics BestFirstDpor::statistics() const {
  SearchStatistics statistics = fringe_.statistics();
  statistics.remembered = sets_.bytes();
  return statistics;
}

Guarantee BestFirstDpor::guarantee() const {
  Guarantee guarantee;
  guarantee.exhausted = guarantee.complete = fringe_.size() == 0 && fringe_.problem().empty() && !is_open_;
  return guarantee;
}

// Backtrack sets are known by nodes, so these keep their numbers; and steps by the numbers of their choices.
void BestFirstDpor::save(ByteWriter& out, const ThreadNames& names) const {
  names.save(out);
  path().choices().save(out);
  fringe_.save_with_nodes(out);
  sets_.save(out);
  backtracking_.conditions().save(out);
  out.put(is_open_);
  out.put(running_.node);
  out.put(running_.cost);
}

// The next execution is read from its beginning, as if nothing had been run before. One that asks for
// attempts runs again, and asks again.
bool BestFirstDpor::load(ByteReader& in, ThreadNames& names) {
  const bool has_same_ids = names.load(in);
  path().truncate(0);
  path().choices().load(in);
  fringe_ = Fringe(keeping_inner(settings_.fringe));
  fringe_.load_with_nodes(in);
  sets_.load(in);
  backtracking_.conditions().load(in);
  is_open_ = in.get<bool>();
  running_ = {};
  running_.node = in.get<Node>();
  running_.cost = in.get<std::uint16_t>();
  attempts_.clear();
  groups_.clear();
  return has_same_ids && in.ok();
}

}  // namespace thrum
