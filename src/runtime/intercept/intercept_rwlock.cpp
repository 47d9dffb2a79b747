// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read-write locks, spin locks.

#include <pthread.h>
#include <cerrno>
#include <cstring>

#include "runtime/intercept/intercept_lock.hpp"

using namespace thrum;

namespace {

constexpr const char* kLocks = "locks a read-write lock";

// If a lock prefers writers, writers queue visibly: a writer that finds the lock taken says so, and from then
// on readers wait. Other kinds admit readers while writers wait, as glibc does.
bool prefers_writers(const pthread_rwlock_t* lock) {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

std::uint8_t& readers_of(LockState& lock) {
  return lock.readers[world.running ? scheduler().current().slot % LockState::kReaders : 0];
}

void begin_to_read(LockState& lock) {
  constexpr std::uint8_t kFull = 255;
  ++lock.count;
  if (std::uint8_t& mine = readers_of(lock); mine != kFull) ++mine;
}

void end_to_read(LockState& lock) {
  constexpr std::uint8_t kFull = 255;
  if (std::uint8_t& mine = readers_of(lock); mine != kFull) --mine;
  if (--lock.count == 0) std::memset(lock.readers, 0, sizeof lock.readers);
}

[[gnu::noinline]] int destroy_lock(std::uint64_t object, std::uint64_t code) {
  auto& lock = state_at<LockState>(object);
  if (world.running) scheduler().arrive(Operation::lock_destroy, object, 0, code);
  check_alive(lock, "destroys a read-write lock", code);
  if (lock.owner != 0) fail_held("destroys a read-write lock", lock_holder(object), code);
  if (lock.count != 0) fail_misuse("destroys a read-write lock that a thread holds to read", code);
  lock.kind = LockState::kDestroyed;
  done_with_lock();
  return 0;
}

int lock_in_queue(LockState& lock, std::uint64_t object, std::uint64_t deadline, std::uint64_t code) {
  scheduler().arrive(Operation::lock_queue, object, 0, code);
  check_alive(lock, kLocks, code);
  bool queued = !lock_is_free(object);
  if (queued) {
    ++lock.writers_waiting;
    scheduler().done(Scheduler::Effect::change, lock.writers_waiting);
    bool has_it = arrive_at_lock(Operation::lock, object, deadline, code);
    --lock.writers_waiting;
    if (!has_it) {
      done_by_timeout();
      scheduler().note_write(object);
      return ETIMEDOUT;
    }
  }
  lock.owner = running_owner();
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
  check_alive(lock, kLocks, code);
  begin_to_read(lock);
  done_with_lock();
  return 0;
}

int lock_exclusive(pthread_rwlock_t* rwlock, std::uint64_t deadline, std::uint64_t code) {
  std::uint64_t object = address_of(rwlock);
  auto& lock = state_at<LockState>(object);
  if (lock.owner == running_owner()) return EDEADLK;
  if (world.running && prefers_writers(rwlock)) return lock_in_queue(lock, object, deadline, code);
  if (!arrive_at_lock(Operation::lock, object, deadline, code)) {
    if (world.running) done_by_timeout();
    return ETIMEDOUT;
  }
  check_alive(lock, kLocks, code);
  lock.owner = running_owner();
  done_with_lock();
  return 0;
}

}  // namespace

THRUM_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  THRUM_FORWARD(pthread_rwlock_init, lock, attributes)
  std::uint64_t object = address_of(lock);
  check_not_held(object, "read-write lock", lock_holder(object), true, THRUM_CALLER);
  begin_anew(object, THRUM_CALLER);
  std::memset(static_cast<void*>(lock), 0, sizeof *lock);
  int kind = PTHREAD_RWLOCK_DEFAULT_NP;
  if (attributes) pthread_rwlockattr_getkind_np(attributes, &kind);
  lock->__data.__flags = static_cast<unsigned>(kind);  // the place of static initialisers
  return 0;
}

THRUM_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  THRUM_FORWARD(pthread_rwlock_destroy, lock)
  return destroy_lock(address_of(lock), THRUM_CALLER);
}

THRUM_LOOP_IMPL int pthread_rwlock_rdlock_impl(pthread_rwlock_t* lock) {
  THRUM_FORWARD(pthread_rwlock_rdlock, lock)
  return lock_shared(lock, kNoDeadline, THRUM_CALLER);
}

THRUM_LOOP_IMPL int pthread_rwlock_wrlock_impl(pthread_rwlock_t* lock) {
  THRUM_FORWARD(pthread_rwlock_wrlock, lock)
  return lock_exclusive(lock, kNoDeadline, THRUM_CALLER);
}

#define TIMED_RWLOCK(timed_name, clock_name, take)                                             \
  THRUM_EXPORT int timed_name(pthread_rwlock_t* lock, const timespec* time) {                  \
    THRUM_FORWARD(timed_name, lock, time)                                                      \
    std::uint64_t deadline;                                                                    \
    if (int error = timed(time, CLOCK_REALTIME, deadline)) return error;                       \
    return take(lock, deadline, THRUM_CALLER);                                                 \
  }                                                                                            \
  THRUM_EXPORT int clock_name(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) { \
    THRUM_FORWARD(clock_name, lock, clock, time)                                               \
    std::uint64_t deadline;                                                                    \
    if (int error = timed(time, clock, deadline)) return error;                                \
    return take(lock, deadline, THRUM_CALLER);                                                 \
  }

TIMED_RWLOCK(pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, lock_shared)
TIMED_RWLOCK(pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, lock_exclusive)

THRUM_LOOP_IMPL int pthread_rwlock_tryrdlock_impl(pthread_rwlock_t* rwlock) {
  THRUM_FORWARD(pthread_rwlock_tryrdlock, rwlock)
  std::uint64_t object = address_of(rwlock);
  if (world.running)
    scheduler().arrive_to_take(Operation::try_shared_lock, object, THRUM_CALLER, Wait::shared_lock);
  check_alive(state_at<LockState>(object), kLocks, THRUM_CALLER);
  bool free = shared_lock_is_free(object);
  if (free) begin_to_read(state_at<LockState>(object));
  done_with_lock(free ? Outcome::done : Outcome::failed);
  return free ? 0 : EBUSY;
}

THRUM_LOOP_IMPL int pthread_rwlock_trywrlock_impl(pthread_rwlock_t* rwlock) {
  THRUM_FORWARD(pthread_rwlock_trywrlock, rwlock)
  std::uint64_t object = address_of(rwlock);
  if (world.running) scheduler().arrive_to_take(Operation::try_lock, object, THRUM_CALLER, Wait::lock);
  check_alive(state_at<LockState>(object), kLocks, THRUM_CALLER);
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
  check_alive(lock, "unlocks a read-write lock", THRUM_CALLER);
  if (writes) {
    if (lock.owner != running_owner())
      fail_held("unlocks a read-write lock", lock_holder(object), THRUM_CALLER);
    lock.owner = 0;
  } else {
    if (lock.count == 0) fail_held("unlocks a read-write lock", kNoThread, THRUM_CALLER);
    if (readers_of(lock) == 0) fail_misuse("unlocks a read-write lock that only others hold", THRUM_CALLER);
    end_to_read(lock);
  }
  done_with_lock();
  return 0;
}

namespace {

void check_spin_lock(const pthread_spinlock_t* lock, const char* what, std::uint64_t code) {
  if (__builtin_expect(*lock == kSpinLockDestroyed, 0)) fail_destroyed(what, code);
}

}  // namespace

// A spin lock is a mutex; its waiting costs processor time, which does not matter here.
THRUM_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  THRUM_FORWARD(pthread_spin_init, lock, shared)
  std::uint64_t object = address_of(lock);
  check_not_held(object, "spin lock", spin_lock_holder(object), false, THRUM_CALLER);
  begin_anew(object, THRUM_CALLER);
  *lock = 0;
  return 0;
}

THRUM_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) {
  THRUM_FORWARD(pthread_spin_destroy, lock)
  std::uint64_t object = address_of(lock);
  check_spin_lock(lock, "destroys a spin lock", THRUM_CALLER);
  if (*lock != 0) fail_held("destroys a spin lock", spin_lock_holder(object), THRUM_CALLER);
  begin_anew(object, THRUM_CALLER);
  world.wrote = true;
  *lock = kSpinLockDestroyed;
  return 0;
}

THRUM_LOOP_IMPL int pthread_spin_lock_impl(pthread_spinlock_t* lock) {
  THRUM_FORWARD(pthread_spin_lock, lock)
  std::uint64_t object = address_of(lock);
  if (!world.running) {
    if (!spin_lock_is_free(object)) fail_alone(Operation::lock, object, THRUM_CALLER, Wait::spin_lock);
  } else {
    scheduler().arrive_to_take(Operation::lock, object, THRUM_CALLER, Wait::spin_lock);
  }
  check_spin_lock(lock, "locks a spin lock", THRUM_CALLER);
  *lock = static_cast<int>(running_owner());
  done_with_lock();
  return 0;
}

THRUM_LOOP_IMPL int pthread_spin_trylock_impl(pthread_spinlock_t* lock) {
  THRUM_FORWARD(pthread_spin_trylock, lock)
  if (world.running)
    scheduler().arrive_to_take(Operation::try_lock, address_of(lock), THRUM_CALLER, Wait::spin_lock);
  check_spin_lock(lock, "locks a spin lock", THRUM_CALLER);
  bool free = *lock == 0;
  if (free) *lock = static_cast<int>(running_owner());
  done_with_lock(free ? Outcome::done : Outcome::failed);
  return free ? 0 : EBUSY;
}

THRUM_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  THRUM_FORWARD(pthread_spin_unlock, lock)
  std::uint64_t object = address_of(lock);
  if (world.running) scheduler().arrive(Operation::unlock, object, 0, THRUM_CALLER);
  check_spin_lock(lock, "unlocks a spin lock", THRUM_CALLER);
  if (static_cast<std::uint32_t>(*lock) != running_owner())
    fail_held("unlocks a spin lock", spin_lock_holder(object), THRUM_CALLER);
  *lock = 0;
  done_with_lock();
  return 0;
}
