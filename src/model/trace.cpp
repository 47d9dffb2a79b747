// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/trace.hpp"

namespace thrum {

Event event_of(const PendingOperation& pending) {
  Event event;
  event.thread = pending.thread;
  event.operation = pending.operation;
  event.object = pending.object;
  event.size = pending.size;
  event.operand = pending.operand;
  event.woken_by = pending.woken_by;
  return event;
}

void Trace::clear() {
  // Empty after most executions, and a call each where elements have destructors.
  auto empty = [](auto& elements) {
    if (!elements.empty()) elements.clear();
  };
  end = End::finished;
  choices.clear();
  options.clear();
  events.clear();
  empty(places);
  branch = 0;
  pending.clear();
  watches.clear();
  cost = 0;
  steps = 0;
  points = 0;
  threads = 0;
  sampling.as_expected = false;
  sampling.sources = 0;
  sampling.log_chance = 0;
  sampling.counts.clear();
  fairness = Fairness::off;
  waiting = Waiting::spins;
  starved = false;
  left_control = false;
  withheld = 0;
  lasso = {};
  if (!failure.empty()) failure = Failure{};
  failure_stack.clear();
  empty(waiter_places);
  empty(access_places);
  others.clear();
  empty(other_places);
  empty(known_races);
  frames.clear();
  empty(blocks);
  empty(lost);
  output.clear();
}

}  // namespace thrum
