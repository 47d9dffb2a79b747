// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes, including C11's.

#include <pthread.h>
#include <threads.h>
#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/intercept/intercept_lock.hpp"

using namespace thrum;

namespace {

constexpr int kCeilingMax = 99;

// The running thread takes a robust mutex that is free now. Its last owner may have died, or a thread may
// have made it unusable.
[[gnu::noinline]] int take_robust(LockState& lock, std::uint64_t object, std::uint64_t code) {
  check_alive(lock, "locks a mutex", code);
  if (lock.condition == MutexCondition::not_recoverable) {
    done_with_lock(Outcome::failed);
    return ENOTRECOVERABLE;
  }
  lock.owner = running_owner();
  scheduler().current().robust.push_back(object);
  done_with_lock();
  return lock.condition == MutexCondition::owner_died ? EOWNERDEAD : 0;
}

void forget_robust(LockState& lock, std::uint64_t object) {
  std::erase(scheduler().current().robust, object);
  if (lock.condition == MutexCondition::owner_died) lock.condition = MutexCondition::not_recoverable;
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
  if (__builtin_expect(is_robust(lock), 0)) return take_robust(lock, object, code);
  lock.owner = me;
  done_with_lock();
  return 0;
}

// The running thread unlocks a mutex that another thread holds, or none.
[[gnu::noinline]] int unlock_of_other(const LockState& lock, std::uint64_t object, std::uint64_t code) {
  if (checks_owner(lock) && !lock.is_destroyed()) return EPERM;
  if (world.running) scheduler().arrive(Operation::unlock, object, 0, code);
  check_alive(lock, "unlocks a mutex", code);
  fail_held("unlocks a mutex", lock_holder(object), code);
}

int unlock_mutex(pthread_mutex_t* mutex, std::uint64_t code) {
  std::uint64_t object = address_of(mutex);
  auto& lock = state_at<LockState>(object);
  if (__builtin_expect(lock.owner != running_owner(), 0)) return unlock_of_other(lock, object, code);
  if (world.running) scheduler().arrive(Operation::unlock, object, 0, code);
  if (lock.count != 0) {
    --lock.count;
  } else {
    lock.owner = 0;
    if (__builtin_expect(is_robust(lock), 0)) forget_robust(lock, object);
  }
  done_with_lock();
  return 0;
}

// in_loop: the call came through a loop_entry.
int try_lock_mutex(pthread_mutex_t* mutex, std::uint64_t code, bool in_loop = true) {
  std::uint64_t object = address_of(mutex);
  auto& lock = state_at<LockState>(object);
  std::uint32_t me = running_owner();
  if (world.running && in_loop) scheduler().arrive_to_take(Operation::try_lock, object, code, Wait::lock);
  if (world.running && !in_loop) scheduler().arrive(Operation::try_lock, object, 0, code);
  if (lock.owner == me && kind_of(lock) == PTHREAD_MUTEX_RECURSIVE) {
    ++lock.count;
  } else if (lock.owner != 0) {
    done_with_lock(Outcome::failed);
    return EBUSY;
  } else if (is_robust(lock)) {
    return take_robust(lock, object, code);
  } else {
    lock.owner = me;
  }
  done_with_lock();
  return 0;
}

// Waits until that time at the latest. The C library looks at the time only if it has to wait.
int lock_mutex_until(pthread_mutex_t* mutex, const timespec* time, clockid_t clock, std::uint64_t code) {
  std::uint64_t deadline = kNoDeadline;
  const bool is_valid = timed(time, clock, deadline) == 0;
  const auto& lock = state_at<LockState>(address_of(mutex));
  const bool never_waits = lock.owner == running_owner() && (kind_of(lock) == PTHREAD_MUTEX_RECURSIVE ||
                                                             kind_of(lock) == PTHREAD_MUTEX_ERRORCHECK);
  if (is_valid || never_waits) return lock_mutex(mutex, deadline, code);
  const int error = try_lock_mutex(mutex, code, false);
  return error == EBUSY ? EINVAL : error;
}

// Error-checking mutexes answer that they are in use; robust ones may be left to the next owner.
int destroy_mutex(pthread_mutex_t* mutex, std::uint64_t code) {
  std::uint64_t object = address_of(mutex);
  auto& lock = state_at<LockState>(object);
  if (world.running) scheduler().arrive(Operation::lock_destroy, object, 0, code);
  check_alive(lock, "destroys a mutex", code);
  if (lock.owner != 0) {
    if (kind_of(lock) != PTHREAD_MUTEX_ERRORCHECK) fail_held("destroys a mutex", lock_holder(object), code);
    done_with_lock(Outcome::failed);
    return EBUSY;
  }
  check_mutex_unused(object, "destroys", code);
  lock.kind = LockState::kDestroyed;
  done_with_lock();
  return 0;
}

void init_mutex(std::uint64_t object, int kind, int ceiling, std::uint64_t code) {
  check_not_held(object, "mutex", lock_holder(object), false, code);
  check_mutex_unused(object, "initialises", code);
  begin_anew(object, code);
  auto& lock = state_at<LockState>(object);
  lock = {};
  lock.kind = kind;
  lock.ceiling = static_cast<std::uint16_t>(ceiling);
}

}  // namespace

namespace thrum {

// Each robust mutex that the thread still holds is unlocked; the next owner is told that its owner died.
void leave_robust_mutexes(std::uint64_t code) {
  Thread& me = scheduler().current();
  while (!me.robust.empty()) {
    std::uint64_t object = me.robust.back();
    if (world.running) scheduler().arrive(Operation::unlock, object, 0, code);
    me.robust.pop_back();
    auto& lock = state_at<LockState>(object);
    lock.owner = lock.count = 0;
    lock.condition = MutexCondition::owner_died;
    if (world.running) scheduler().done(Scheduler::Effect::change, 0, 1);
  }
}

int take_again(std::uint64_t object) {
  auto& lock = state_at<LockState>(object);
  if (is_robust(lock) && lock.condition == MutexCondition::not_recoverable) return ENOTRECOVERABLE;
  lock.owner = running_owner();
  if (!is_robust(lock)) return 0;
  scheduler().current().robust.push_back(object);
  return lock.condition == MutexCondition::owner_died ? EOWNERDEAD : 0;
}

void give_up(std::uint64_t object) {
  auto& lock = state_at<LockState>(object);
  lock.owner = 0;
  if (is_robust(lock)) forget_robust(lock, object);
}

}  // namespace thrum

THRUM_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  THRUM_FORWARD(pthread_mutex_init, mutex, attributes)
  int kind = PTHREAD_MUTEX_DEFAULT;
  int robust = PTHREAD_MUTEX_STALLED;
  int protocol = PTHREAD_PRIO_NONE;
  int ceiling = 0;
  if (attributes) {
    pthread_mutexattr_gettype(attributes, &kind);
    pthread_mutexattr_getrobust(attributes, &robust);
    pthread_mutexattr_getprotocol(attributes, &protocol);
    if (protocol == PTHREAD_PRIO_PROTECT) pthread_mutexattr_getprioceiling(attributes, &ceiling);
  }
  init_mutex(address_of(mutex), robust == PTHREAD_MUTEX_ROBUST ? kind | kMutexRobust : kind, ceiling,
             THRUM_CALLER);
  return 0;
}

THRUM_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_consistent, mutex)
  auto& lock = state_at<LockState>(address_of(mutex));
  bool died = is_robust(lock) && lock.condition == MutexCondition::owner_died;
  if (!died || lock.owner != running_owner()) return EINVAL;
  world.wrote = true;
  lock.condition = MutexCondition::consistent;
  return 0;
}

// A ceiling is only a number here: priorities have no effect on schedules.
THRUM_EXPORT int pthread_mutex_getprioceiling(const pthread_mutex_t* mutex, int* ceiling) {
  THRUM_FORWARD(pthread_mutex_getprioceiling, mutex, ceiling)
  const auto& lock = state_at<LockState>(address_of(mutex));
  if (lock.ceiling == 0) return EINVAL;
  if (world.running)
    scheduler().arrive(Operation::load, address_of(&lock.ceiling), sizeof lock.ceiling, THRUM_CALLER);
  *ceiling = lock.ceiling;
  if (world.running) scheduler().done(Scheduler::Effect::read, lock.ceiling);
  return 0;
}

THRUM_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t* mutex, int ceiling, int* former) {
  THRUM_FORWARD(pthread_mutex_setprioceiling, mutex, ceiling, former)
  auto& lock = state_at<LockState>(address_of(mutex));
  if (lock.ceiling == 0 || ceiling < 1 || ceiling > kCeilingMax) return EINVAL;
  if (int error = lock_mutex(mutex, kNoDeadline, THRUM_CALLER)) return error;
  if (world.running)
    scheduler().arrive(Operation::store, address_of(&lock.ceiling), sizeof lock.ceiling, THRUM_CALLER);
  *former = lock.ceiling;
  lock.ceiling = static_cast<std::uint16_t>(ceiling);
  if (world.running)
    scheduler().done(Scheduler::Effect::change, static_cast<std::uint64_t>(*former), lock.ceiling);
  return unlock_mutex(mutex, THRUM_CALLER);
}

THRUM_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_destroy, mutex)
  return destroy_mutex(mutex, THRUM_CALLER);
}

THRUM_LOOP_IMPL int pthread_mutex_lock_impl(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_lock, mutex)
  // The unwinder holds its lock at no scheduling point.
  if (unwinder_range().holds(THRUM_CALLER)) return 0;
  return lock_mutex(mutex, kNoDeadline, THRUM_CALLER);
}

THRUM_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  THRUM_FORWARD(pthread_mutex_timedlock, mutex, time)
  return lock_mutex_until(mutex, time, CLOCK_REALTIME, THRUM_CALLER);
}

THRUM_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  THRUM_FORWARD(pthread_mutex_clocklock, mutex, clock, time)
  return lock_mutex_until(mutex, time, clock, THRUM_CALLER);
}

THRUM_LOOP_IMPL int pthread_mutex_trylock_impl(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_trylock, mutex)
  return try_lock_mutex(mutex, THRUM_CALLER);
}

THRUM_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  THRUM_FORWARD(pthread_mutex_unlock, mutex)
  if (unwinder_range().holds(THRUM_CALLER)) return 0;
  return unlock_mutex(mutex, THRUM_CALLER);
}

namespace {

int mutex_error_of(int error) {
  switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
  }
}

}  // namespace

// C11's mutexes are pthread mutexes by another name: plain, or recursive.
THRUM_EXPORT int mtx_init(mtx_t* mutex, int type) {
  THRUM_FORWARD(mtx_init, mutex, type)
  if ((type & ~(mtx_recursive | mtx_timed)) != 0) return thrd_error;
  init_mutex(address_of(mutex), type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL, 0,
             THRUM_CALLER);
  return thrd_success;
}

THRUM_EXPORT void mtx_destroy(mtx_t* mutex) {
  THRUM_FORWARD(mtx_destroy, mutex)
  destroy_mutex(reinterpret_cast<pthread_mutex_t*>(mutex), THRUM_CALLER);
}

THRUM_LOOP_IMPL int mtx_lock_impl(mtx_t* mutex) {
  THRUM_FORWARD(mtx_lock, mutex)
  return mutex_error_of(lock_mutex(reinterpret_cast<pthread_mutex_t*>(mutex), kNoDeadline, THRUM_CALLER));
}

THRUM_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* time) {
  THRUM_FORWARD(mtx_timedlock, mutex, time)
  return mutex_error_of(
      lock_mutex_until(reinterpret_cast<pthread_mutex_t*>(mutex), time, CLOCK_REALTIME, THRUM_CALLER));
}

THRUM_LOOP_IMPL int mtx_trylock_impl(mtx_t* mutex) {
  THRUM_FORWARD(mtx_trylock, mutex)
  return mutex_error_of(try_lock_mutex(reinterpret_cast<pthread_mutex_t*>(mutex), THRUM_CALLER));
}

THRUM_EXPORT int mtx_unlock(mtx_t* mutex) {
  THRUM_FORWARD(mtx_unlock, mutex)
  return mutex_error_of(unlock_mutex(reinterpret_cast<pthread_mutex_t*>(mutex), THRUM_CALLER));
}
