// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounded partial-order reduction (Coons, Musuvathi, McKinley, OOPSLA 2013): what Dpor does otherwise where
// preemptions are bounded.
//
// To run a thread before a step may cost a preemption that the bound does not allow, while the same order of
// what depends on each other could have been had for less: by running that thread before all of the block of
// steps in which this one stands, where another thread was chosen anyway. So each alternative is put down at
// the beginning of the block too (the paper's conservative backtrack points). For the same reason a thread is
// held against every step that it stood beside, and not against the last alone: to come before that one may
// be too dear, and before the one before it not. And nothing sleeps: what was run instead may have cost more.
#include <algorithm>

#include "search/reduction/dpor.hpp"

namespace thrum {

// The bound is done. False: and so is the search.
bool Dpor::begin_next_bound() {
  completed_ = bound_;
  if (!excluded_ || bound_ == limit_) return false;
  ++bound_;
  excluded_ = begun_ = false;
  progress_ = 0;
  share_ = {};
  branch_ = 0;
  known_departures_ = 0;
  return true;
}

// The steps of others that depend on what the thread does with this one, and that it stood beside: those that
// it knew of when it came there are not among them, and of those that were there already each thread's last.
// What it waited for is among them: had it come there before, to leave it would have cost nothing.
void Dpor::find_conflicts(Index late) {
  conflicts_.clear();
  const Index previous = order_.previous(late);
  const bool is_first = previous == PartialOrder::kNone;
  const ThreadId own = order_.event(late).thread;
  std::vector<bool> is_seen;
  for (Index i = late; i-- > 0;) {
    const ThreadId thread = order_.event(i).thread;
    if (is_seen.size() <= thread) is_seen.resize(thread + std::size_t{1});
    if (thread == own || is_seen[thread]) continue;
    const bool is_cause = order_.causes(i, late);
    if (is_cause && is_first) continue;  // its creation
    if (!is_cause && !order_.depend(i, late)) continue;
    is_seen[thread] = is_cause || (!is_first && i < previous);
    if (is_first || i > previous || !order_.ordered(i, previous)) conflicts_.push_back(i);
  }
}

// The option at the point, at the beginning of the block of its thread's steps in which the point stands, and
// wherever between the two its thread could be left for nothing. Where it is not possible, all that is.
void Dpor::put_within_bound(Index depth, const Option& option) {
  const ThreadId thread = path_[depth].step.option.value;
  for (Index i = depth;; --i) {
    const bool begins = i == 0 || path_[i - 1].step.option.value != thread;
    if (begins || i == depth || path_[i].free_to_leave) {
      std::span<const Option> here = options(i);
      auto found = std::find(here.begin(), here.end(), option);
      if (found == here.end()) {
        for (std::size_t k = 0; k < here.size(); ++k) put_if_allowed(i, k);
      } else {
        put_if_allowed(i, static_cast<std::size_t>(found - here.begin()));
      }
    }
    if (begins) return;
  }
}

void Dpor::put_if_allowed(Index depth, std::size_t option) {
  const PlannedStep planned{{options(depth)[option], 0}, {}};
  if (is_known(depth, planned.step)) return;
  if (cost(depth, option) > bound_) {
    excluded_ = true;
  } else {
    add_step(depth, planned);
  }
}

// What comes by chance depends on everything: it is tried wherever it can be.
void Dpor::put_chances(Index depth) {
  for (std::size_t i = 0; i < path_[depth].options_count; ++i) {
    const Option& option = options(depth)[i];
    if (is_by_chance(option.via) || option.value == path_[depth].step.option.value) put_if_allowed(depth, i);
  }
}

void Dpor::read_costs(const Point& point, const Trace& trace) {
  costs_.resize(point.options_begin);
  if (point.choice == kNoChoice) return costs_.push_back(0);
  const ChoicePoint& made = trace.choices[point.choice];
  for (std::uint16_t i = 0; i < made.options_count; ++i)
    costs_.push_back(option_cost(made, trace.options_of(made), i, Base::nonpreemptive));
}

// Of an execution that takes the option there.
std::uint32_t Dpor::cost(Index depth, std::size_t option) const {
  return path_[depth].cost_before + costs_[path_[depth].options_begin + option];
}

}  // namespace thrum
