// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stateful/state_search.hpp"

#include <algorithm>

#include "stateful/livelocks.hpp"
#include "support/check.hpp"
#include "support/hash.hpp"

namespace thrum {

namespace {

constexpr std::uint32_t kUnbounded = ~std::uint32_t{0};
constexpr std::uint64_t kStepsBetweenPolls = 256;
constexpr std::size_t kNodesMax = std::size_t{1} << 31;  // Node::parent has 32 bits

// Of the state, and how it goes on.
StateKey pair_key(StateKey state, Option option) {
  const std::uint64_t way = std::uint64_t{option.value} << 8 | static_cast<std::uint64_t>(option.via);
  return {mixed(state.low, way), mixed(state.high, ~way)};
}

}  // namespace

StateSearch::StateSearch(StateProgram& program, StatefulSettings settings)
    : program_(program),
      settings_(std::move(settings)),
      states_(settings_.order == Order::dfs && !settings_.preemptions) {
  THRUM_CHECK(!(settings_.depth && settings_.order == Order::icb));
  THRUM_CHECK(!(settings_.preemptions && (settings_.depth || settings_.order == Order::bfs)));
}

StateFindings StateSearch::run() {
  switch (settings_.order) {
    case Order::dfs: {
      const std::optional<std::uint32_t> bound = settings_.depth ? settings_.depth : settings_.preemptions;
      explore_depth_first(bound.value_or(kUnbounded));
      break;
    }
    case Order::icb: explore_by_bounds(); break;
    case Order::bfs: explore_breadth_first(); break;
  }
  note_bytes();
  findings_.sought_livelocks = looks_for_livelocks();
  findings_.is_cut = findings_.is_cut || excludes_;
  findings_.states = states_.size();
  findings_.expected_collisions += states_.expected_collisions();
  return std::move(findings_);
}

// Within a bound of preemptions, options are passed over, not states.
bool StateSearch::passes_over_pairs() const {
  return settings_.order == Order::icb || settings_.preemptions.has_value();
}

// What an endless program costs has no bound. But where each option of each state was taken, no state is
// left. Each bound is searched from the first choice on: what costs less is visited again, and in return no
// schedules have to be kept for the next bound.
void StateSearch::explore_by_bounds() {
  for (std::uint32_t bound = 0; bound <= settings_.preemptions.value_or(kUnbounded - 1); ++bound) {
    const std::uint64_t steps_before = findings_.steps;
    excludes_ = false;
    bound_ = bound;
    explore_depth_first(bound);
    if (findings_.stopped != Stopped::no) return;
    findings_.bounds.push_back({bound, states_.size(), findings_.steps - steps_before});
    excludes_ = excludes_ && !is_closed_;
    if (!excludes_) return;
  }
}

void StateSearch::explore_depth_first(std::uint32_t bound) {
  levels_.clear();
  options_.clear();
  program_.reset();
  arrive(bound, 0);
  while (!levels_.empty() && !has_to_stop()) {
    Level& level = levels_.back();
    if (level.taken == options_.size() - level.options) {
      pop_level();
      continue;
    }
    const std::size_t taken = level.taken++;
    const Option option = options_[level.options + taken];
    const std::uint32_t cost = cost_of(level, taken);
    const std::optional<std::uint32_t> left = left_behind(level, option, cost);
    if (!left) continue;
    const std::uint32_t cost_behind = level.cost + cost;
    if (taken > 0) program_.undo(level.mark);  // else the program is there
    program_.step(option);
    ++findings_.steps;
    findings_.depth = std::max<std::uint64_t>(findings_.depth, levels_.size());
    arrive(*left, cost_behind);
  }
  note_bytes();
  findings_.expected_collisions += pairs_.expected_collisions();
  is_closed_ = pairs_.size() == options_known_;
  pairs_.clear();
}

// What is left of the bound behind the option; nothing: not enough, or it was taken with as much before.
std::optional<std::uint32_t> StateSearch::left_behind(const Level& level, Option option, std::uint32_t cost) {
  if (level.left == kUnbounded) return kUnbounded;
  const std::uint32_t needed = settings_.depth ? 1 : cost;
  if (needed > level.left) {
    excludes_ = true;
    return std::nullopt;
  }
  const std::uint32_t left = level.left - needed;
  const bool has_key = level.point.key.kind == ChoiceKind::thread;
  const bool is_known = passes_over_pairs() && has_key &&
                        pairs_.raise(pair_key(level.key, option), left) == VisitedTable::Raised::no;
  return is_known ? std::nullopt : std::optional(left);
}

std::uint32_t StateSearch::cost_of(const Level& level, std::size_t option) const {
  const std::span<const Option> options = std::span(options_).subspan(level.options);
  return option_cost(level.point, options, static_cast<std::uint16_t>(option), Base::nonpreemptive);
}

// The program has come to a state: whether the search goes on from there. key: of the state, where it has
// one.
bool StateSearch::is_to_go_on(std::uint32_t cost, std::uint32_t left, StateKey& key) {
  if (program_.is_over() && !has_final_state()) {
    note_cut_off(cost);
    return false;
  }
  if (!program_.is_over() && program_.point().key.kind != ChoiceKind::thread) return true;
  key = program_.key();
  if (looks_for_livelocks()) {
    const VisitedTable::Added added = states_.add(key, static_cast<std::uint32_t>(states_.size()));
    if (added.is_new) note_state(cost);
    number_ = added.number;
    return added.is_new && !program_.is_over();
  }
  const VisitedTable::Raised raised = states_.raise(key, states_.keeps_numbers() ? left : 0);
  if (raised == VisitedTable::Raised::is_new) note_state(cost);
  return !program_.is_over() && (raised != VisitedTable::Raised::no || passes_over_pairs());
}

void StateSearch::arrive(std::uint32_t left, std::uint32_t cost) {
  StateKey key;
  number_ = kNoNumber;
  blocking_ = levels_.empty() ? 0 : levels_.back().blocking + (program_.traits().may_block ? 1 : 0);
  findings_.blocking = std::max<std::uint64_t>(findings_.blocking, blocking_);
  findings_.preemptions = std::max(findings_.preemptions, cost);
  if (is_to_go_on(cost, left, key))
    push_level(key, left, cost);
  else if (looks_for_livelocks() && !levels_.empty())
    lead_to(program_.is_over() ? kNoNumber : number_);
}

void StateSearch::push_level(StateKey key, std::uint32_t left, std::uint32_t cost) {
  Level& level = levels_.emplace_back();
  level.mark = program_.mark();
  level.options = options_.size();
  level.point = program_.point();
  level.key = key;
  level.left = left;
  level.cost = cost;
  level.blocking = blocking_;
  level.number = number_;
  if (looks_for_livelocks()) level.traits = program_.traits();
  const std::span<const Option> options = program_.options();
  options_.insert(options_.end(), options.begin(), options.end());
}

bool StateSearch::looks_for_livelocks() const {
  return settings_.order == Order::dfs && !settings_.depth && !settings_.preemptions;
}

// The last step of the present level has led to a state that was known, of that number, or to an end.
void StateSearch::lead_to(std::uint32_t number) {
  Component& component = levels_.back().component;
  if (number == kNoNumber || closed_.has(number)) {
    component.leads_out = true;
    return;
  }
  component.low = std::min(component.low, number);
  component.traits.add(program_.traits());
}

// What the level's component has is its parent's too, unless the component is complete. That of a choice
// inside a step, which has no number, is complete if nothing leads back.
void StateSearch::pop_level() {
  const Level level = std::move(levels_.back());
  options_.resize(level.options);
  levels_.pop_back();
  if (!looks_for_livelocks()) return;
  const Component& own = level.component;
  const bool is_complete =
      level.number == kNoNumber ? own.low == kNoNumber : own.low == kNoNumber || own.low >= level.number;
  if (is_complete && level.number != kNoNumber) {
    if (own.low != kNoNumber) look_for_livelock(level);
    closed_.close(level.number, static_cast<std::uint32_t>(states_.size()));
  }
  if (levels_.empty()) return;
  Component& parent = levels_.back().component;
  if (is_complete) {
    parent.leads_out = true;
    return;
  }
  parent.low = std::min(parent.low, own.low);
  parent.leads_out = parent.leads_out || own.leads_out;
  parent.traits.add(own.traits);
  parent.traits.add(level.traits);
}

// The component, which has a cycle, is complete, and this was the first state of it.
void StateSearch::look_for_livelock(const Level& root) {
  const Component& component = root.component;
  const bool is_stuck = !component.leads_out && !component.traits.comes_further;
  if (!is_stuck && !component.traits.yields) return;
  program_.undo(root.mark);
  std::optional<Lockstep> found;
  if (is_stuck) {
    found = take_turns(program_);
  } else {
    LockstepSearch search(program_, [&](StateKey key) {
      const std::optional<std::uint32_t> number = states_.number_of(key);
      return number && *number >= root.number && !closed_.has(*number);
    });
    found = search.run();
    findings_.unsought_lockstep += search.gave_up() ? 1 : 0;
  }
  if (!found) return;
  StateBug bug{found->failure, schedule(), root.cost, {}, !is_stuck};
  if (!found->schedule.empty()) bug.round = bug.schedule.size() + found->round;
  bug.schedule.insert(bug.schedule.end(), found->schedule.begin(), found->schedule.end());
  add_bug(std::move(bug));
}

// A failure leaves its thread in the middle of a step: that is no state. A deadlock is one.
bool StateSearch::has_final_state() const {
  return program_.end() == End::finished ||
         (program_.end() == End::bug && program_.failure().kind == BugKind::deadlock);
}

void StateSearch::note_state(std::uint32_t cost) {
  if (program_.is_over()) {
    ++findings_.ends;
    settings_.at_end();
    if (program_.end() == End::bug) note_bug(program_.failure(), cost);
    return;
  }
  options_known_ += program_.options().size();
  if (!settings_.races) return;
  for (const Failure& race : program_.races()) note_bug(race, cost);
}

// An execution that ended in the middle of a step: by a failure, a false assumption or a limit.
void StateSearch::note_cut_off(std::uint32_t cost) {
  settings_.at_cut_off();
  if (program_.end() == End::bug)
    note_bug(program_.failure(), cost);
  else if (program_.end() != End::assumption)
    findings_.is_cut = true;
}

void StateSearch::note_bug(const Failure& failure, std::uint32_t cost) {
  add_bug({failure, schedule(), cost, {}, false});
}

void StateSearch::add_bug(StateBug bug) {
  const auto known = std::ranges::find_if(
      findings_.bugs, [&](const StateBug& one) { return same_bug(one.failure, bug.failure); });
  if (known != findings_.bugs.end() && known->cost <= bug.cost) return;
  const bool is_in_lockstep = bug.is_in_lockstep;
  if (known != findings_.bugs.end())
    *known = std::move(bug);
  else
    findings_.bugs.push_back(std::move(bug));
  if (settings_.stops_at_bug && !is_in_lockstep) findings_.stopped = Stopped::by_bug;
}

StateSearch::SoFar StateSearch::so_far() const {
  return {states_.size(), std::max<std::uint64_t>(levels_.size(), path_.size()), bytes(), bound_};
}

// From the first choice to where the program stands.
std::vector<Option> StateSearch::schedule() const {
  std::vector<Option> taken;
  for (const Level& level : levels_) taken.push_back(options_[level.options + level.taken - 1]);
  for (std::size_t i = 1; i < path_.size(); ++i) taken.push_back(nodes_[path_[i].node].option);
  return taken;
}

bool StateSearch::has_to_stop() {
  if (findings_.stopped != Stopped::no) return true;
  if (++polls_ % kStepsBetweenPolls != 0) return false;
  if (note_bytes() > settings_.memory || nodes_.size() > kNodesMax ||
      states_.size() >= kNoNumber - kStepsBetweenPolls)
    findings_.stopped = Stopped::by_memory;
  else if (settings_.has_to_stop())
    findings_.stopped = Stopped::from_outside;
  return findings_.stopped != Stopped::no;
}

std::uint64_t StateSearch::bytes() const {
  return states_.bytes() + pairs_.bytes() + closed_.bytes() + nodes_.capacity() * sizeof(Node);
}

std::uint64_t StateSearch::note_bytes() {
  findings_.bytes = std::max(findings_.bytes, bytes());
  return bytes();
}

void StateSearch::explore_breadth_first() {
  program_.reset();
  nodes_ = {Node{}};
  path_ = {Step{0, program_.mark(), 0}};
  StateKey key;
  if (!is_to_go_on(0, 0, key)) return;
  // Nodes stand in the order in which they were found: those of one depth, from left to right.
  for (std::uint32_t node = 0; node < nodes_.size() && !has_to_stop(); ++node) {
    go_to(node);
    if (settings_.depth && path_.size() > *settings_.depth) {
      excludes_ = true;
      return;
    }
    const std::vector<Option> options(program_.options().begin(), program_.options().end());
    for (const Option option : options) {
      take(node, option);
      path_.pop_back();
      program_.undo(path_.back().mark);
    }
  }
}

// Takes an option of the node where the program stands. What is new there becomes a node.
void StateSearch::take(std::uint32_t node, Option option) {
  nodes_.push_back({node, option});
  step_to(static_cast<std::uint32_t>(nodes_.size() - 1));
  ++findings_.steps;
  findings_.depth = std::max<std::uint64_t>(findings_.depth, path_.size() - 1);
  StateKey key;
  if (!is_to_go_on(path_.back().cost, 0, key)) nodes_.pop_back();
}

void StateSearch::step_to(std::uint32_t node) {
  const Option option = nodes_[node].option;
  const std::span<const Option> options = program_.options();
  const auto taken = static_cast<std::uint16_t>(std::ranges::find(options, option) - options.begin());
  const std::uint32_t cost = option_cost(program_.point(), options, taken, Base::nonpreemptive);
  program_.step(option);
  path_.push_back({node, program_.mark(), path_.back().cost + cost});
}

// Goes to a node from another one: back to where their schedules part, and on from there.
void StateSearch::go_to(std::uint32_t node) {
  std::vector<std::uint32_t> ahead;  // the last one first
  // A node stands behind its parent.
  for (; node != path_.back().node; node = nodes_[node].parent) {
    while (path_.back().node > node) path_.pop_back();
    if (path_.back().node == node) break;
    ahead.push_back(node);
  }
  program_.undo(path_.back().mark);
  while (!ahead.empty()) {
    step_to(ahead.back());
    ahead.pop_back();
  }
}

}  // namespace thrum
