// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/bounded_dpor.hpp"

namespace thrum {

// The bound is done. False: and so is the search.
bool BoundedDpor::begins_again() {
  completed_ = bound_;
  if (!excluded_ || bound_ == limit_) return false;
  ++bound_;
  excluded_ = false;
  return true;
}

// What was run is known, also where it came to nothing; but it covers nothing.
void BoundedDpor::end_subtree() {
  const Step step = path_.back().step;
  Sleeper& run = path_.add_sleeper();
  run.planned.step = step;
  run.planned.foe.any = true;
}

// What comes by chance depends on everything: it is tried wherever it can be.
void BoundedDpor::add_alternatives(Index depth) {
  for (std::size_t i = 0; i < path_[depth].options_count; ++i) {
    const Option& option = path_.options(depth)[i];
    if (is_by_chance(option.via) || option.value == path_[depth].step.option.value) add_if_allowed(depth, i);
  }
}

void BoundedDpor::reverse_races(Index late) {
  const std::vector<Index> conflicts = find_conflicts(late);
  for (Index conflict : conflicts) insert(late, conflict, Reversals::as_taken(path_, late));
  for (Index conflict : conflicts) apply(late, reversals_.of_race(path_, late, conflict));
}

// The steps of other threads that depend on this one and were taken while it was pending, without those that
// happen before its thread's step before it; and of earlier ones each thread's last. What it waited for is
// among them: had it come there before, to leave it would have cost nothing.
std::vector<BoundedDpor::Index> BoundedDpor::find_conflicts(Index late) const {
  const PartialOrder& order = path_.order();
  std::vector<Index> conflicts;
  const Index previous = order.previous(late);
  const bool is_first = previous == PartialOrder::kNone;
  const ThreadId own = order.event(late).thread;
  std::vector<bool> is_seen;
  for (Index i = late; i-- > 0;) {
    const ThreadId thread = order.event(i).thread;
    if (is_seen.size() <= thread) is_seen.resize(thread + std::size_t{1});
    if (thread == own || is_seen[thread]) continue;
    const bool is_cause = order.causes(i, late);
    if (is_cause && is_first) continue;  // its creation
    if (!is_cause && !order.depend(i, late)) continue;
    is_seen[thread] = is_cause || (!is_first && i < previous);
    if (is_first || i > previous || !order.ordered(i, previous)) conflicts.push_back(i);
  }
  return conflicts;
}

void BoundedDpor::insert(Index, Index early, const Step& taken) { add_within_bound(early, taken.option); }

// The option at the point, at the beginning of the block of its thread's steps in which the point stands, and
// wherever between the two its thread could be left for nothing. Where it is not possible, all that is.
void BoundedDpor::add_within_bound(Index depth, const Option& option) {
  const ThreadId thread = path_[depth].step.option.value;
  for (Index i = depth;; --i) {
    const Point& point = path_[i];
    const bool begins = i == 0 || path_[i - 1].step.option.value != thread;
    const bool is_free =
        point.choice != Path::kNoChoice && (!point.made.running_enabled || point.made.yielded);
    if (begins || i == depth || is_free) {
      const bool is_possible = path_.is_option(i, option);
      for (std::size_t k = 0; k < point.options_count; ++k) {
        if (!is_possible || path_.options(i)[k] == option) add_if_allowed(i, k);
      }
    }
    if (begins) return;
  }
}

void BoundedDpor::add_if_allowed(Index depth, std::size_t option) {
  const Point& point = path_[depth];
  const PlannedStep planned({path_.options(depth)[option], 0}, {});
  if (is_known(depth, planned.step)) return;
  const std::uint32_t cost =
      point.made.cost_before +
      std::uint32_t{option_cost(point.made, path_.options(depth), static_cast<std::uint16_t>(option),
                                Base::nonpreemptive)};
  if (cost > bound_) {
    excluded_ = true;
  } else {
    add_step(depth, planned);
  }
}

std::unique_ptr<Strategy> BoundedDpor::split() {
  std::unique_ptr<Strategy> delegate = Dpor::split();
  if (delegate != nullptr) dynamic_cast<BoundedDpor&>(*delegate).excluded_ = false;
  return delegate;
}

void BoundedDpor::merge(Strategy& other) {
  excluded_ = excluded_ || dynamic_cast<BoundedDpor&>(other).excluded_;
  Dpor::merge(other);
}

Guarantee BoundedDpor::guarantee() const {
  const Bound bound{Base::nonpreemptive, limit_, completed_, Covers::local_states};
  return {is_done() && !excluded_, is_done(), {bound}, {}};
}

Progress BoundedDpor::progress() {
  Progress progress = Dpor::progress();
  progress.level = bound_;
  return progress;
}

void BoundedDpor::save(ByteWriter& out, const ThreadNames& names) const {
  Dpor::save(out, names);
  save_members(out, std::tie(bound_, excluded_, completed_));
}

bool BoundedDpor::load(ByteReader& in, ThreadNames& names) {
  const bool has_same_ids = Dpor::load(in, names);
  load_members(in, std::tie(bound_, excluded_, completed_));
  return has_same_ids && in.ok();
}

}  // namespace thrum
