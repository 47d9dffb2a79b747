// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a plan that runs given steps in a given order. A thread goes on by default, unless it yields or has
// to wait. That need not be said, and there need not be a choice between two steps of one thread.
#pragma once

#include <span>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace thrum {

class OrderedPlan {
 public:
  // first: the key of the choice before the first step. Takes the plan's departures away.
  OrderedPlan(Plan& plan, const ChoiceKey& first) : plan_(plan), key_(first) { plan_.departures.clear(); }

  // choices: those in the middle of the step. events_after: how many events its thread has done then.
  // via: that its time runs out, perhaps.
  void add(const Event& event, std::span<const Departure> choices, std::uint32_t events_after,
           Via via = Via::run) {
    if (event.thread != key_.thread || via != Via::run || has_choice_before(event.operation))
      plan_.departures.push_back({key_, {event.thread, via}});
    plan_.departures.insert(plan_.departures.end(), choices.begin(), choices.end());
    key_ = {event.thread, ChoiceKind::thread, events_after};
  }

 private:
  static bool has_choice_before(Operation operation) {
    return operation == Operation::yield || operation == Operation::lock ||
           operation == Operation::shared_lock || operation == Operation::semaphore_wait;
  }

  Plan& plan_;
  ChoiceKey key_;
};

}  // namespace thrum
