// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes, read-write locks and spin locks, C11's included.
#include <pthread.h>
#include <threads.h>

#include <algorithm>
#include <cstring>

#include "objects/objects.hpp"
#include "vm/externals.hpp"
#include "vm/mutexes.hpp"

namespace thrum::vm {

namespace {

Next fail_held(Call& call, const std::string& what, ThreadId holder) {
  const char* whose = holder == kNoThread ? "nobody" : holder == call.thread.id ? "it" : "another thread";
  call.machine.fail_misuse(what + " that " + whose + " holds");
  return Next::over;
}

// Whether another thread that waits for a condition variable is to have the mutex again.
bool is_awaited(const Call& call, std::uint64_t mutex) {
  const std::span<std::uint16_t> all = Machine::live();
  return std::any_of(all.begin(), all.end(), [&call, mutex](std::uint16_t slot) {
    return slot != call.thread.slot && Machine::thread(slot).lock == mutex;
  });
}

// The object is about to be initialised. Whether nobody holds what lies there; else the execution has failed.
// Memory that no operation has used as a lock may hold anything.
bool check_not_held(Call& call, std::uint64_t object, const std::string& name, ThreadId holder,
                    bool may_be_read) {
  Machine& machine = call.machine;
  const bool is_kept =
      object - kGlobals < kGlobalsSize || object - kHeap < std::uint64_t{kHeapRegions} * kHeapRegion;
  if (!machine.judges || !is_kept) return true;
  for (std::uint16_t slot : Machine::live()) {
    const Thread& thread = Machine::thread(slot);
    const bool holds = thread.id == holder || (may_be_read && is_read_by(object, thread.slot));
    if (!holds || !machine.races.used_atomically(object)) continue;
    fail_held(call, "initialises a " + name, thread.id);
    return false;
  }
  return true;
}

Next fail_destroyed(Call& call, const std::string& what) {
  call.machine.fail_misuse(what + " that has been destroyed");
  return Next::over;
}

// The operation on a lock is done; the call returns `error`.
Next finish_lock(Call& call, int error, Outcome outcome = Outcome::done) {
  call.machine.done(outcome != Outcome::failed, 0, 0, outcome);
  return call.machine.over ? Next::over : call.result_int(error);
}

// Before the first choice an operation is no event, but it writes its object.
LockState* lock_at(Call& call, std::uint64_t object) { return object_at<LockState>(call, object); }

// Nobody holds the mutex: the thread has it now, unless it is lost for good.
Next take_free_mutex(Call& call) {
  const int error = take_mutex(call, call.argument(0));
  if (call.machine.over) return Next::over;
  return finish_lock(call, error, error == ENOTRECOVERABLE ? Outcome::failed : Outcome::done);
}

// Takes the lock, or waits for it. Phases: 0 arrives, 1 has it, or its time is over.
Next lock_mutex(Call& call, std::uint64_t deadline) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  const std::uint32_t me = owner_word(call);
  if (call.phase() == 0) {
    if (lock->owner == me && kind_of(*lock) == PTHREAD_MUTEX_ERRORCHECK) return call.result_int(EDEADLK);
    const bool again = lock->owner == me && kind_of(*lock) == PTHREAD_MUTEX_RECURSIVE;
    if (!again && !call.machine.in_execution && !lock_is_free(object)) {
      if (const auto next = wait_alone(call, Operation::lock, object, deadline, Wait::lock)) return *next;
      return call.result_int(ETIMEDOUT);
    }
    if (again || deadline == kNoDeadline) {
      if (const auto next = stand(call, 0, Operation::lock, object, 0, again ? Wait::nothing : Wait::lock))
        return *next;
    } else if (call.machine.in_execution) {
      if (const auto next = stand_until(call, 0, Operation::lock, object, Wait::lock, deadline)) return *next;
    }
  }
  if (call.thread.timed_out) {
    call.thread.timed_out = false;
    call.machine.done_by_timeout();
    return call.result_int(ETIMEDOUT);
  }
  call.thread.timed = false;
  if (lock->is_destroyed()) return fail_destroyed(call, "locks a mutex");
  if (lock->owner == me) {
    set(call, lock->count, lock->count + 1);
    return finish_lock(call, 0);
  }
  return take_free_mutex(call);
}

Next try_lock_mutex(Call& call) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::try_lock, object)) return *next;
  const std::uint32_t me = owner_word(call);
  if (lock->is_destroyed()) return fail_destroyed(call, "locks a mutex");
  if (lock->owner == me && kind_of(*lock) == PTHREAD_MUTEX_RECURSIVE) {
    set(call, lock->count, lock->count + 1);
    return finish_lock(call, 0);
  }
  if (lock->owner != 0) return finish_lock(call, EBUSY, Outcome::failed);
  return take_free_mutex(call);
}

// base: its first phase.
Next unlock_mutex(Call& call, std::uint32_t base = 0) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  const bool is_mine = lock->owner == owner_word(call);
  if (call.phase() == base && !is_mine && checks_owner(*lock) && !lock->is_destroyed())
    return call.result_int(EPERM);
  if (const auto next = stand(call, base, Operation::unlock, object)) return *next;
  if (!is_mine) {
    if (lock->is_destroyed()) return fail_destroyed(call, "unlocks a mutex");
    return fail_held(call, "unlocks a mutex", lock_holder(object));
  }
  if (lock->count != 0) {
    set(call, lock->count, lock->count - 1);
    --call.thread.locks;
  } else {
    give_up_mutex(call, object);
  }
  return finish_lock(call, 0);
}

// C11's numbers for the same results.
Next as_c11_lock(Call& call, Next next) {
  if (next != Next::done) return next;
  switch (static_cast<int>(call.registers()[call.site.result])) {
    case 0: return call.result_int(thrd_success);
    case EBUSY: return call.result_int(thrd_busy);
    case ETIMEDOUT: return call.result_int(thrd_timedout);
    default: return call.result_int(thrd_error);
  }
}

// The deadline in the call's argument; nothing: the call is over, with `next`.
std::optional<std::uint64_t> deadline_of(Call& call, std::size_t argument, clockid_t clock, Next& next) {
  const std::optional<timespec> time = time_at(call, call.argument(argument));
  if (!time) {
    next = Next::over;
    return std::nullopt;
  }
  if (!is_valid(*time)) {
    next = call.result_int(EINVAL);
    return std::nullopt;
  }
  return clock_to_virtual(call, clock, *time);
}

bool initialise_mutex(Call& call, int kind, int ceiling = 0) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr || !check_not_held(call, object, "mutex", lock_holder(object), false)) return false;
  if (is_awaited(call, object)) {
    call.machine.fail_misuse("initialises a mutex that a waiting thread is to have again");
    return false;
  }
  if (!call.machine.judge_new_object(call.thread, object)) return false;
  LockState fresh{};
  fresh.kind = kind;
  fresh.ceiling = static_cast<std::uint16_t>(ceiling);
  call.machine.write(object, &fresh, sizeof fresh);
  return true;
}

}  // namespace

Next do_mutex_init(Call& call) {
  int kind = PTHREAD_MUTEX_DEFAULT;
  int ceiling = 0;
  if (const std::uint64_t place = call.argument(1); place != 0) {
    if (!call.machine.may_read(place, sizeof(pthread_mutexattr_t))) return Next::over;
    const auto* const attributes = &at<pthread_mutexattr_t>(place);
    int robust = PTHREAD_MUTEX_STALLED;
    int protocol = PTHREAD_PRIO_NONE;
    pthread_mutexattr_gettype(attributes, &kind);
    pthread_mutexattr_getrobust(attributes, &robust);
    pthread_mutexattr_getprotocol(attributes, &protocol);
    if (robust == PTHREAD_MUTEX_ROBUST) kind |= kMutexRobust;
    if (protocol == PTHREAD_PRIO_PROTECT) pthread_mutexattr_getprioceiling(attributes, &ceiling);
  }
  return initialise_mutex(call, kind, ceiling) ? call.result_int(0) : Next::over;
}

Next do_mtx_init(Call& call) {
  const int type = call.int_argument(1);
  if ((type & ~(mtx_recursive | mtx_timed)) != 0) return call.result_int(thrd_error);
  const int kind = (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
  return initialise_mutex(call, kind) ? call.result_int(thrd_success) : Next::over;
}

Next do_mutex_destroy(Call& call) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::lock_destroy, object)) return *next;
  if (lock->is_destroyed()) return fail_destroyed(call, "destroys a mutex");
  if (lock->owner != 0) {
    if (kind_of(*lock) != PTHREAD_MUTEX_ERRORCHECK)
      return fail_held(call, "destroys a mutex", lock_holder(object));
    return finish_lock(call, EBUSY, Outcome::failed);
  }
  if (is_awaited(call, object)) {
    call.machine.fail_misuse("destroys a mutex that a waiting thread is to have again");
    return Next::over;
  }
  set(call, lock->kind, LockState::kDestroyed);
  return finish_lock(call, 0);
}

Next do_mutex_lock(Call& call) { return lock_mutex(call, kNoDeadline); }
Next do_mutex_trylock(Call& call) { return try_lock_mutex(call); }
Next do_mutex_unlock(Call& call) { return unlock_mutex(call); }

namespace {

// Waits until the time in that argument at the latest. The C library looks at it only if it has to wait.
Next lock_mutex_until(Call& call, std::size_t argument, clockid_t clock) {
  const std::optional<timespec> time = time_at(call, call.argument(argument));
  LockState* const lock = time ? lock_at(call, call.argument(0)) : nullptr;
  if (lock == nullptr) return Next::over;
  if (is_valid(*time)) return lock_mutex(call, clock_to_virtual(call, clock, *time));
  const bool never_waits = lock->owner == owner_word(call) && (kind_of(*lock) == PTHREAD_MUTEX_RECURSIVE ||
                                                               kind_of(*lock) == PTHREAD_MUTEX_ERRORCHECK);
  if (never_waits) return lock_mutex(call, kNoDeadline);
  const Next next = try_lock_mutex(call);
  const bool is_busy = next == Next::done && static_cast<int>(call.registers()[call.site.result]) == EBUSY;
  return is_busy ? call.result_int(EINVAL) : next;
}

}  // namespace

Next do_mutex_timedlock(Call& call) { return lock_mutex_until(call, 1, CLOCK_REALTIME); }
Next do_mutex_clocklock(Call& call) { return lock_mutex_until(call, 2, call.int_argument(1)); }

// The thread says that what the mutex protects is in order again after its last owner's death.
Next do_mutex_consistent(Call& call) {
  LockState* const lock = lock_at(call, call.argument(0));
  if (lock == nullptr) return Next::over;
  const bool died = is_robust(*lock) && lock->condition == MutexCondition::owner_died;
  if (!died || lock->owner != owner_word(call)) return call.result_int(EINVAL);
  set(call, lock->condition, MutexCondition::consistent);
  return call.result_int(0);
}

// A ceiling is only a number here: priorities have no effect on schedules.
Next do_mutex_getprioceiling(Call& call) {
  LockState* const lock = lock_at(call, call.argument(0));
  if (lock == nullptr) return Next::over;
  if (call.phase() == 0 && lock->ceiling == 0) return call.result_int(EINVAL);
  const auto place = reinterpret_cast<std::uint64_t>(&lock->ceiling);
  if (const auto next = stand(call, 0, Operation::load, place, sizeof lock->ceiling)) return *next;
  if (!call.machine.may_write(call.argument(1), sizeof(int))) return Next::over;
  call.machine.write(call.argument(1), int{lock->ceiling});
  call.machine.done(false, lock->ceiling);
  return call.machine.over ? Next::over : call.result_int(0);
}

// Phases: 0 and 1 lock the mutex, 2 and 3 change the ceiling, 4 and 5 unlock it.
Next do_mutex_setprioceiling(Call& call) {
  constexpr int kCeilingMax = 99;
  constexpr std::uint32_t kStores = 2;
  constexpr std::uint32_t kUnlocks = 4;
  LockState* const lock = lock_at(call, call.argument(0));
  if (lock == nullptr) return Next::over;
  const int ceiling = call.int_argument(1);
  if (call.phase() == 0 && (lock->ceiling == 0 || ceiling < 1 || ceiling > kCeilingMax))
    return call.result_int(EINVAL);
  if (call.phase() < kStores) {
    const Next next = lock_mutex(call, kNoDeadline);
    if (next != Next::done || static_cast<int>(call.registers()[call.site.result]) != 0) return next;
    call.thread.phase = kStores;
  }
  if (call.phase() < kUnlocks) {
    const auto place = reinterpret_cast<std::uint64_t>(&lock->ceiling);
    if (const auto next = stand(call, kStores, Operation::store, place, sizeof lock->ceiling)) return *next;
    const std::uint16_t former = lock->ceiling;
    if (!call.machine.may_write(call.argument(2), sizeof(int))) return Next::over;
    call.machine.write(call.argument(2), int{former});
    set(call, lock->ceiling, static_cast<std::uint16_t>(ceiling));
    call.machine.done(true, former, lock->ceiling);
    if (call.machine.over) return Next::over;
    call.thread.phase = kUnlocks;
  }
  return unlock_mutex(call, kUnlocks);
}

Next do_mtx_lock(Call& call) { return as_c11_lock(call, lock_mutex(call, kNoDeadline)); }
Next do_mtx_trylock(Call& call) { return as_c11_lock(call, try_lock_mutex(call)); }
Next do_mtx_unlock(Call& call) { return as_c11_lock(call, unlock_mutex(call)); }
Next do_mtx_timedlock(Call& call) { return as_c11_lock(call, do_mutex_timedlock(call)); }

// Read-write locks.

namespace {

constexpr const char* kLocks = "locks a read-write lock";

// Of a lock that prefers writers: glibc's place for it.
bool prefers_writers(std::uint64_t object) {
  return at<pthread_rwlock_t>(object).__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

std::uint8_t& readers_of(const Call& call, LockState& lock) {
  return lock.readers[call.thread.slot % LockState::kReaders];
}

void begin_to_read(Call& call, LockState& lock) {
  constexpr std::uint8_t kFull = 255;
  set(call, lock.count, lock.count + 1);
  ++call.thread.locks;
  std::uint8_t& mine = readers_of(call, lock);
  if (mine != kFull) set(call, mine, static_cast<std::uint8_t>(mine + 1));
}

// The time for the lock is over.
Next give_up_lock(Call& call, LockState* queued) {
  call.thread.timed_out = false;
  if (queued != nullptr) set(call, queued->writers_waiting, queued->writers_waiting - 1);
  call.machine.done_by_timeout();
  return call.result_int(ETIMEDOUT);
}

Next lock_shared(Call& call, std::uint64_t deadline) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  if (call.phase() == 0) {
    if (lock->owner == owner_word(call)) return call.result_int(EDEADLK);
    if (!call.machine.in_execution && !shared_lock_is_free(object)) {
      if (const auto next = wait_alone(call, Operation::shared_lock, object, deadline, Wait::shared_lock))
        return *next;
      return call.result_int(ETIMEDOUT);
    }
    if (deadline == kNoDeadline || !call.machine.in_execution) {
      if (const auto next = stand(call, 0, Operation::shared_lock, object, 0, Wait::shared_lock))
        return *next;
    } else if (const auto next =
                   stand_until(call, 0, Operation::shared_lock, object, Wait::shared_lock, deadline)) {
      return *next;
    }
  }
  if (call.thread.timed_out) return give_up_lock(call, nullptr);
  call.thread.timed = false;
  if (lock->is_destroyed()) return fail_destroyed(call, kLocks);
  begin_to_read(call, *lock);
  return finish_lock(call, 0);
}

Next lock_exclusive(Call& call, std::uint64_t deadline) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  const bool queues = call.machine.in_execution && prefers_writers(object);
  if (call.phase() == 0) {
    if (lock->owner == owner_word(call)) return call.result_int(EDEADLK);
    if (!call.machine.in_execution && !lock_is_free(object)) {
      if (const auto next = wait_alone(call, Operation::lock, object, deadline, Wait::lock)) return *next;
      return call.result_int(ETIMEDOUT);
    }
    if (queues) {
      if (const auto next = stand(call, 0, Operation::lock_queue, object)) return *next;
    } else {
      call.thread.phase = 1;
    }
  }
  if (call.phase() == 1) {
    if (queues) {
      if (lock->is_destroyed()) return fail_destroyed(call, kLocks);
      if (lock_is_free(object)) {
        set(call, lock->owner, owner_word(call));
        ++call.thread.locks;
        return finish_lock(call, 0);
      }
      set(call, lock->writers_waiting, lock->writers_waiting + 1);
      call.machine.done(true, lock->writers_waiting);
    }
    if (deadline == kNoDeadline || !call.machine.in_execution) {
      if (const auto next = stand(call, 1, Operation::lock, object, 0, Wait::lock)) return *next;
    } else if (const auto next = stand_until(call, 1, Operation::lock, object, Wait::lock, deadline)) {
      return *next;
    }
  }
  if (call.thread.timed_out) return give_up_lock(call, queues ? lock : nullptr);
  call.thread.timed = false;
  if (queues) set(call, lock->writers_waiting, lock->writers_waiting - 1);
  if (lock->is_destroyed()) return fail_destroyed(call, kLocks);
  set(call, lock->owner, owner_word(call));
  ++call.thread.locks;
  return finish_lock(call, 0);
}

}  // namespace

Next do_rwlock_init(Call& call) {
  const std::uint64_t object = call.argument(0);
  int kind = PTHREAD_RWLOCK_DEFAULT_NP;
  if (const std::uint64_t attributes = call.argument(1); attributes != 0) {
    if (!call.machine.may_read(attributes, sizeof kind)) return Next::over;
    kind = at<int>(attributes);
  }
  if (!call.machine.may_write(object, sizeof(pthread_rwlock_t)) ||
      !check_not_held(call, object, "read-write lock", lock_holder(object), true) ||
      !call.machine.judge_new_object(call.thread, object))
    return Next::over;
  pthread_rwlock_t fresh{};
  fresh.__data.__flags = static_cast<unsigned>(kind);
  call.machine.write(object, &fresh, sizeof fresh);
  return call.result_int(0);
}

Next do_rwlock_destroy(Call& call) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::lock_destroy, object)) return *next;
  if (lock->is_destroyed()) return fail_destroyed(call, "destroys a read-write lock");
  if (lock->owner != 0) return fail_held(call, "destroys a read-write lock", lock_holder(object));
  if (lock->count != 0) {
    call.machine.fail_misuse("destroys a read-write lock that a thread holds to read");
    return Next::over;
  }
  set(call, lock->kind, LockState::kDestroyed);
  return finish_lock(call, 0);
}

Next do_rwlock_rdlock(Call& call) { return lock_shared(call, kNoDeadline); }
Next do_rwlock_wrlock(Call& call) { return lock_exclusive(call, kNoDeadline); }

#define THRUM_VM_TIMED(timed_name, clock_name, take)                        \
  Next timed_name(Call& call) {                                             \
    Next next{};                                                            \
    const auto deadline = deadline_of(call, 1, CLOCK_REALTIME, next);       \
    return deadline ? take(call, *deadline) : next;                         \
  }                                                                         \
  Next clock_name(Call& call) {                                             \
    Next next{};                                                            \
    const auto deadline = deadline_of(call, 2, call.int_argument(1), next); \
    return deadline ? take(call, *deadline) : next;                         \
  }
THRUM_VM_TIMED(do_rwlock_timedrdlock, do_rwlock_clockrdlock, lock_shared)
THRUM_VM_TIMED(do_rwlock_timedwrlock, do_rwlock_clockwrlock, lock_exclusive)
#undef THRUM_VM_TIMED

Next do_rwlock_tryrdlock(Call& call) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::try_shared_lock, object)) return *next;
  if (lock->is_destroyed()) return fail_destroyed(call, kLocks);
  if (!shared_lock_is_free(object)) return finish_lock(call, EBUSY, Outcome::failed);
  begin_to_read(call, *lock);
  return finish_lock(call, 0);
}

Next do_rwlock_trywrlock(Call& call) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::try_lock, object)) return *next;
  if (lock->is_destroyed()) return fail_destroyed(call, kLocks);
  if (!lock_is_free(object)) return finish_lock(call, EBUSY, Outcome::failed);
  set(call, lock->owner, owner_word(call));
  ++call.thread.locks;
  return finish_lock(call, 0);
}

Next do_rwlock_unlock(Call& call) {
  const std::uint64_t object = call.argument(0);
  LockState* const lock = lock_at(call, object);
  if (lock == nullptr) return Next::over;
  const bool writes = lock->owner != 0;
  const bool was_writer = call.phase() == 0 ? writes : call.thread.operation == Operation::unlock;
  if (const auto next = stand(call, 0, was_writer ? Operation::unlock : Operation::shared_unlock, object))
    return *next;
  constexpr const char* kUnlocks = "unlocks a read-write lock";
  if (lock->is_destroyed()) return fail_destroyed(call, kUnlocks);
  if (was_writer) {
    if (lock->owner != owner_word(call)) return fail_held(call, kUnlocks, lock_holder(object));
    set(call, lock->owner, std::uint32_t{0});
    --call.thread.locks;
    return finish_lock(call, 0);
  }
  if (lock->count == 0) return fail_held(call, kUnlocks, kNoThread);
  std::uint8_t& mine = readers_of(call, *lock);
  constexpr std::uint8_t kFull = 255;
  if (mine == 0) {
    call.machine.fail_misuse("unlocks a read-write lock that only others hold");
    return Next::over;
  }
  if (mine != kFull) set(call, mine, static_cast<std::uint8_t>(mine - 1));
  set(call, lock->count, lock->count - 1);
  if (lock->count == 0)
    call.machine.memory.fill(reinterpret_cast<std::uint64_t>(lock->readers), 0, sizeof lock->readers);
  return finish_lock(call, 0);
}

// A spin lock is a mutex; its waiting costs processor time, which does not matter here.

namespace {

using SpinLock = std::int32_t;

Next take_spin_lock(Call& call, bool waits) {
  const std::uint64_t object = call.argument(0);
  SpinLock* const lock = object_at<SpinLock>(call, object);
  if (lock == nullptr) return Next::over;
  if (waits && !call.machine.in_execution && !spin_lock_is_free(object))
    return fail_alone(call, Operation::lock, object, Wait::spin_lock);
  const Operation operation = waits ? Operation::lock : Operation::try_lock;
  if (const auto next = stand(call, 0, operation, object, 0, waits ? Wait::spin_lock : Wait::nothing))
    return *next;
  call.thread.needs = Wait::spin_lock;
  if (*lock == kSpinLockDestroyed) return fail_destroyed(call, "locks a spin lock");
  if (*lock != 0) return finish_lock(call, EBUSY, Outcome::failed);
  set(call, *lock, static_cast<SpinLock>(owner_word(call)));
  ++call.thread.locks;
  return finish_lock(call, 0);
}

}  // namespace

Next do_spin_init(Call& call) {
  SpinLock* const lock = object_at<SpinLock>(call, call.argument(0));
  if (lock == nullptr ||
      !check_not_held(call, call.argument(0), "spin lock", spin_lock_holder(call.argument(0)), false) ||
      !call.machine.judge_new_object(call.thread, call.argument(0)))
    return Next::over;
  call.machine.write(call.argument(0), SpinLock{0});
  return call.result_int(0);
}

Next do_spin_destroy(Call& call) {
  SpinLock* const lock = object_at<SpinLock>(call, call.argument(0));
  if (lock == nullptr) return Next::over;
  if (*lock == kSpinLockDestroyed) return fail_destroyed(call, "destroys a spin lock");
  if (*lock != 0) return fail_held(call, "destroys a spin lock", spin_lock_holder(call.argument(0)));
  if (!call.machine.judge_new_object(call.thread, call.argument(0))) return Next::over;
  set(call, *lock, SpinLock{kSpinLockDestroyed});
  return call.result_int(0);
}

Next do_spin_lock(Call& call) { return take_spin_lock(call, true); }
Next do_spin_trylock(Call& call) { return take_spin_lock(call, false); }

Next do_spin_unlock(Call& call) {
  const std::uint64_t object = call.argument(0);
  SpinLock* const lock = object_at<SpinLock>(call, object);
  if (lock == nullptr) return Next::over;
  if (const auto next = stand(call, 0, Operation::unlock, object)) return *next;
  if (*lock == kSpinLockDestroyed) return fail_destroyed(call, "unlocks a spin lock");
  if (static_cast<std::uint32_t>(*lock) != owner_word(call))
    return fail_held(call, "unlocks a spin lock", spin_lock_holder(object));
  set(call, *lock, SpinLock{0});
  --call.thread.locks;
  return finish_lock(call, 0);
}

}  // namespace thrum::vm
