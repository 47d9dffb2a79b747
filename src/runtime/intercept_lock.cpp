// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes, read-write locks, spin locks.

#include <pthread.h>
#include <cerrno>
#include <cstring>

#include "runtime/intercept.hpp"

using namespace thrum;

namespace {

constexpr int kKindMask = 3;  // glibc keeps further properties in the kind

int kind_of(const LockState& lock) { return lock.kind & kKindMask; }

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

void done_with_lock(Outcome outcome = Outcome::done) {
  if (!world.running) return;
  scheduler().done(outcome == Outcome::failed ? Scheduler::Effect::read : Scheduler::Effect::change, 0, 0,
                   outcome);
}

[[gnu::always_inline]] inline int lock_mutex(pthread_mutex_t* mutex, std::uint64_t deadline,
                                             std::uint64_t code) {
  std::uint64_t object = address_of(mutex);
  auto& lock = state_at<LockState>(object);
  std::uint32_t me = running_owner();
  if (lock.owner == me && kind_of(lock) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  if (lock.owner == me && kind_of(lock) == PTHREAD_MUTEX_RECURSIVE) {
    if (world.running) scheduler().arrive(Operation::lock, object, 0, code);
    ++lock.count;
    done_with_lock();
    return 0;
  }
  if (!arrive_at_lock(Operation::lock, object, deadline, code)) {
    if (world.running) done_by_timeout();
    return ETIMEDOUT;
  }
  lock.owner = me;
  done_with_lock();
  return 0;
}

int lock_shared(pthread_rwlock_t* rwlock, std::uint64_t deadline, std::uint64_t code) {
  std::uint64_t object = address_of(rwlock);
  auto& lock = state_at<LockState>(object);
  if (lock.owner == running_owner()) return EDEADLK;
  if (!arrive_at_lock(Operation::shared_lock, object, deadline, code)) {
    if (world.running) done_by_timeout();
    return ETIMEDOUT;
  }
  ++lock.count;
  done_with_lock();
  return 0;
}

int lock_exclusive(pthread_rwlock_t* rwlock, std::uint64_t deadline, std::uint64_t code) {
  std::uint64_t object = address_of(rwlock);
  auto& lock = state_at<LockState>(object);
  if (lock.owner == running_owner()) return EDEADLK;
  if (!arrive_at_lock(Operation::lock, object, deadline, code)) {
    if (world.running) done_by_timeout();
    return ETIMEDOUT;
  }
  lock.owner = running_owner();
  done_with_lock();
  return 0;
}

int timed(const timespec* time, clockid_t clock, std::uint64_t& deadline) {
  if (!is_valid(*time)) return EINVAL;
  deadline = clock_to_virtual(clock, *time);
  return 0;
}

}  // namespace

THRUM_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  THRUM_FORWARD(pthread_mutex_init, mutex, attributes)
  int kind = PTHREAD_MUTEX_DEFAULT;
  if (attributes) pthread_mutexattr_gettype(attributes, &kind);
  std::memset(static_cast<void*>(mutex), 0, sizeof *mutex);
  state_at<LockState>(address_of(mutex)).kind = kind;
  return 0;
}

THRUM_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_destroy, mutex)
  return lock_is_free(address_of(mutex)) ? 0 : EBUSY;
}

THRUM_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_lock, mutex)
  // The unwinder holds its lock over no scheduling point.
  if (unwinder_range().holds(THRUM_CALLER)) return 0;
  return lock_mutex(mutex, kNoDeadline, THRUM_CALLER);
}

THRUM_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  THRUM_FORWARD(pthread_mutex_timedlock, mutex, time)
  std::uint64_t deadline;
  if (int error = timed(time, CLOCK_REALTIME, deadline)) return error;
  return lock_mutex(mutex, deadline, THRUM_CALLER);
}

THRUM_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  THRUM_FORWARD(pthread_mutex_clocklock, mutex, clock, time)
  std::uint64_t deadline;
  if (int error = timed(time, clock, deadline)) return error;
  return lock_mutex(mutex, deadline, THRUM_CALLER);
}

THRUM_LOOP_IMPL int pthread_mutex_trylock_impl(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_trylock, mutex)
  std::uint64_t object = address_of(mutex);
  auto& lock = state_at<LockState>(object);
  std::uint32_t me = running_owner();
  if (world.running) scheduler().arrive_in_loop(Operation::try_lock, object, 0, THRUM_CALLER);
  if (lock.owner == me && kind_of(lock) == PTHREAD_MUTEX_RECURSIVE) {
    ++lock.count;
  } else if (lock.owner != 0) {
    done_with_lock(Outcome::failed);
    return EBUSY;
  } else {
    lock.owner = me;
  }
  done_with_lock();
  return 0;
}

THRUM_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_unlock, mutex)
  if (unwinder_range().holds(THRUM_CALLER)) return 0;
  std::uint64_t object = address_of(mutex);
  auto& lock = state_at<LockState>(object);
  bool checks_owner = kind_of(lock) == PTHREAD_MUTEX_RECURSIVE || kind_of(lock) == PTHREAD_MUTEX_ERRORCHECK;
  if (checks_owner && lock.owner != running_owner()) return EPERM;
  if (world.running) scheduler().arrive(Operation::unlock, object, 0, THRUM_CALLER);
  if (lock.count != 0) {
    --lock.count;
  } else {
    lock.owner = 0;
  }
  done_with_lock();
  return 0;
}

THRUM_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  THRUM_FORWARD(pthread_rwlock_init, lock, attributes)
  std::memset(static_cast<void*>(lock), 0, sizeof *lock);
  return 0;
}

THRUM_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  THRUM_FORWARD(pthread_rwlock_destroy, lock)
  return lock_is_free(address_of(lock)) ? 0 : EBUSY;
}

THRUM_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  THRUM_FORWARD(pthread_rwlock_rdlock, lock)
  return lock_shared(lock, kNoDeadline, THRUM_CALLER);
}

THRUM_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  THRUM_FORWARD(pthread_rwlock_wrlock, lock)
  return lock_exclusive(lock, kNoDeadline, THRUM_CALLER);
}

#define TIMED_RWLOCK(name, take)                                                              \
  THRUM_EXPORT int pthread_rwlock_timed##name(pthread_rwlock_t* lock, const timespec* time) { \
    THRUM_FORWARD(pthread_rwlock_timed##name, lock, time)                                     \
    std::uint64_t deadline;                                                                   \
    if (int error = timed(time, CLOCK_REALTIME, deadline)) return error;                      \
    return take(lock, deadline, THRUM_CALLER);                                                \
  }                                                                                           \
  THRUM_EXPORT int pthread_rwlock_clock##name(pthread_rwlock_t* lock, clockid_t clock,        \
                                              const timespec* time) {                         \
    THRUM_FORWARD(pthread_rwlock_clock##name, lock, clock, time)                              \
    std::uint64_t deadline;                                                                   \
    if (int error = timed(time, clock, deadline)) return error;                               \
    return take(lock, deadline, THRUM_CALLER);                                                \
  }

TIMED_RWLOCK(rdlock, lock_shared)
TIMED_RWLOCK(wrlock, lock_exclusive)

THRUM_LOOP_IMPL int pthread_rwlock_tryrdlock_impl(pthread_rwlock_t* rwlock) {
  THRUM_FORWARD(pthread_rwlock_tryrdlock, rwlock)
  std::uint64_t object = address_of(rwlock);
  if (world.running) scheduler().arrive_in_loop(Operation::try_shared_lock, object, 0, THRUM_CALLER);
  bool free = shared_lock_is_free(object);
  if (free) ++state_at<LockState>(object).count;
  done_with_lock(free ? Outcome::done : Outcome::failed);
  return free ? 0 : EBUSY;
}

THRUM_LOOP_IMPL int pthread_rwlock_trywrlock_impl(pthread_rwlock_t* rwlock) {
  THRUM_FORWARD(pthread_rwlock_trywrlock, rwlock)
  std::uint64_t object = address_of(rwlock);
  if (world.running) scheduler().arrive_in_loop(Operation::try_lock, object, 0, THRUM_CALLER);
  bool free = lock_is_free(object);
  if (free) state_at<LockState>(object).owner = running_owner();
  done_with_lock(free ? Outcome::done : Outcome::failed);
  return free ? 0 : EBUSY;
}

THRUM_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* rwlock) {
  THRUM_FORWARD(pthread_rwlock_unlock, rwlock)
  std::uint64_t object = address_of(rwlock);
  auto& lock = state_at<LockState>(object);
  bool writes = lock.owner != 0;
  if (world.running)
    scheduler().arrive(writes ? Operation::unlock : Operation::shared_unlock, object, 0, THRUM_CALLER);
  if (writes) {
    lock.owner = 0;
  } else if (lock.count != 0) {
    --lock.count;
  }
  done_with_lock();
  return 0;
}

// A spin lock is a mutex whose waiting costs processor time, which does not matter here.
THRUM_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  THRUM_FORWARD(pthread_spin_init, lock, shared)
  *lock = 0;
  return 0;
}

THRUM_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) {
  THRUM_FORWARD(pthread_spin_destroy, lock)
  return 0;
}

THRUM_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) {
  THRUM_FORWARD(pthread_spin_lock, lock)
  std::uint64_t object = address_of(lock);
  if (!world.running) {
    if (*lock != 0) fail_alone(Operation::lock, object, THRUM_CALLER);
  } else {
    scheduler().arrive(Operation::lock, object, 0, THRUM_CALLER, Wait::spin_lock);
  }
  *lock = static_cast<int>(running_owner());
  done_with_lock();
  return 0;
}

THRUM_LOOP_IMPL int pthread_spin_trylock_impl(pthread_spinlock_t* lock) {
  THRUM_FORWARD(pthread_spin_trylock, lock)
  if (world.running) scheduler().arrive_in_loop(Operation::try_lock, address_of(lock), 0, THRUM_CALLER);
  bool free = *lock == 0;
  if (free) *lock = static_cast<int>(running_owner());
  done_with_lock(free ? Outcome::done : Outcome::failed);
  return free ? 0 : EBUSY;
}

THRUM_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  THRUM_FORWARD(pthread_spin_unlock, lock)
  if (world.running) scheduler().arrive(Operation::unlock, address_of(lock), 0, THRUM_CALLER);
  *lock = 0;
  done_with_lock();
  return 0;
}
