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

namespace {

// Empty after most executions; clear() is a call if elements have destructors.
template <typename Elements>
void empty(Elements& elements) {
  if (!elements.empty()) elements.clear();
}

}  // namespace

void Details::clear() {
  empty(places);
  empty(failure_stack);
  empty(waiter_places);
  empty(access_places);
  empty(others);
  empty(other_places);
  empty(frames);
  empty(blocks);
  empty(known_races);
  empty(lost);
  output.clear();
}

void Trace::clear() {
  end = End::finished;
  choices.clear();
  options.clear();
  events.clear();
  branch = 0;
  watches.clear();
  awaits.clear();
  refusals.clear();
  pending.clear();
  cost = 0;
  sampling.as_expected = false;
  sampling.sources = 0;
  sampling.log_chance = 0;
  sampling.counts.clear();
  fairness = Fairness::off;
  waiting = Waiting::spins;
  rounds = Rounds::repeat;
  begins_again = compares_deadlines = reveals_threads = reuses_blocks = false;
  starved = grew = false;
  shared = 0;
  last = kMainThread;
  if (!failure.empty()) failure = Failure{};
  lasso = {};
  details.clear();
  counts = {};
  accesses.clear();
  terms.clear();
  decisions.clear();
  inputs.clear();
}

}  // namespace thrum
