// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the calls on mutexes and on read-write locks share.
#pragma once

#include <pthread.h>
#include <cerrno>

#include "runtime/intercept.hpp"

namespace thrum {

// Waits until the running thread may have the lock; false where the deadline passed first.
[[gnu::always_inline]] inline bool arrive_at_lock(Operation operation, std::uint64_t object,
                                                  std::uint64_t deadline, std::uint64_t code) {
  Wait wait = operation == Operation::shared_lock ? Wait::shared_lock : Wait::lock;
  if (!world.running) {
    bool free = wait == Wait::lock ? lock_is_free(object) : shared_lock_is_free(object);
    if (!free && deadline == kNoDeadline) fail_alone(operation, object, code);
    if (!free) scheduler().advance_clock(deadline);
    return free;
  }
  if (deadline == kNoDeadline) {
    scheduler().arrive(operation, object, 0, code, wait);
    return true;
  }
  return !scheduler().arrive_until(operation, object, code, wait, deadline);
}

inline void done_with_lock(Outcome outcome = Outcome::done) {
  if (!world.running) return;
  scheduler().done(outcome == Outcome::failed ? Scheduler::Effect::read : Scheduler::Effect::change, 0, 0,
                   outcome);
}

inline int destroy_lock(std::uint64_t object, std::uint64_t code) {
  if (world.running) scheduler().arrive(Operation::lock_destroy, object, 0, code);
  bool free = lock_is_free(object);
  done_with_lock(free ? Outcome::done : Outcome::failed);
  return free ? 0 : EBUSY;
}

// 0 and the deadline in virtual time, or why there is none.
inline int timed(const timespec* time, clockid_t clock, std::uint64_t& deadline) {
  if (!is_valid(*time)) return EINVAL;
  deadline = clock_to_virtual(clock, *time);
  return 0;
}

// Of a mutex that a condition wait had released: it is the running thread's again, or is about to be
// released. The result is EOWNERDEAD or 0.
int take_again(std::uint64_t object);
void give_up(std::uint64_t object);

}  // namespace thrum
