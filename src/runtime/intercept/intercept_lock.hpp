// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the calls on mutexes and on read-write locks.
#pragma once

#include <pthread.h>
#include <cerrno>

#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/early_memory.hpp"
#include "runtime/threads/lock_misuse.hpp"

namespace thrum {

inline constexpr int kMutexKindMask = 3;  // glibc stores further properties in the kind
inline constexpr int kMutexRobust = 16;   // the only one that matters here

inline int kind_of(const LockState& lock) { return lock.kind & kMutexKindMask; }
inline bool is_robust(const LockState& lock) { return (lock.kind & kMutexRobust) != 0; }
// Whether unlocking fails with EPERM in a thread that does not hold the mutex.
inline bool checks_owner(const LockState& lock) {
  return kind_of(lock) == PTHREAD_MUTEX_RECURSIVE || kind_of(lock) == PTHREAD_MUTEX_ERRORCHECK ||
         is_robust(lock);
}

// Waits until the running thread may take the lock; false if the deadline passed first.
[[gnu::always_inline]] inline bool arrive_at_lock(Operation operation, std::uint64_t object,
                                                  std::uint64_t deadline, std::uint64_t code) {
  Wait wait = operation == Operation::shared_lock ? Wait::shared_lock : Wait::lock;
  if (!world.running) {
    check_early(AccessKind::atomic_write, reinterpret_cast<const void*>(object), sizeof(std::uint32_t), code);
    bool free = wait == Wait::lock ? lock_is_free(object) : shared_lock_is_free(object);
    if (!free) wait_alone(operation, object, code, deadline, wait);
    return free;
  }
  if (deadline == kNoDeadline) {
    scheduler().arrive_to_take(operation, object, code, wait);
    return true;
  }
  return !scheduler().arrive_until(operation, object, code, wait, deadline);
}

inline void done_with_lock(Outcome outcome = Outcome::done) {
  if (!world.running) return;
  scheduler().done(outcome == Outcome::failed ? Scheduler::Effect::read : Scheduler::Effect::change, 0, 0,
                   outcome);
}

// 0 and the deadline in virtual time; or an error number.
inline int timed(const timespec* time, clockid_t clock, std::uint64_t& deadline) {
  if (!is_valid(*time)) return EINVAL;
  deadline = clock_to_virtual(clock, *time);
  return 0;
}

// For a condition wait: the running thread has its mutex again, or is about to release it. Returns EOWNERDEAD
// or 0.
int take_again(std::uint64_t object);
void give_up(std::uint64_t object);

}  // namespace thrum
