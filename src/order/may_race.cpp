// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/may_race.hpp"

namespace thrum {

namespace {

// Operations that access more than they say while they are pending.
bool is_signal(Operation operation) {
  return operation >= Operation::signal_send && operation <= Operation::timer_expire;
}

bool is_wait(Operation operation) {
  return operation == Operation::wait_release || operation == Operation::wait_reacquire;
}

bool touches_mutex(Operation operation) {
  return (operation >= Operation::lock && operation <= Operation::unlock) || is_wait(operation);
}

}  // namespace

bool may_race(const PendingOperation& a, const PendingOperation& b) {
  if (a.thread == b.thread) return false;
  if (a.operation == Operation::cancel || b.operation == Operation::cancel) return true;
  if (is_signal(a.operation) && is_signal(b.operation)) return true;
  if (is_wait(a.operation) && touches_mutex(b.operation)) return true;
  if (is_wait(b.operation) && touches_mutex(a.operation)) return true;
  return dependent(event_of(a), event_of(b));
}

}  // namespace thrum
