// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the program's synchronization objects lies inside the objects themselves. So a rollback
// restores it at no cost, and static initialisers (all zeros) work.
//
// A destroyed object is marked in its own memory until it is initialised again or the memory is written as
// another object's. A marked object looks free, so that a thread that uses it fails at once and does not wait
// for ever.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <cstddef>
#include <cstdint>

#include "model/thread_names.hpp"

namespace thrum {

// The condition of a robust mutex.
enum class MutexCondition : std::uint16_t {
  consistent,
  owner_died,       // its owner died, and nobody has made the data consistent since
  not_recoverable,  // a thread unlocked it without making the data consistent
};

// A mutex (kind lies where glibc's static initialisers put it) or a read-write lock. Free: both first words
// are 0.
struct LockState {
  std::uint32_t owner;  // ThreadId + 1 of the owner or writer
  std::uint32_t count;  // mutex: locked this often beyond once by its owner; read-write lock: readers
  MutexCondition condition;
  std::uint16_t ceiling;
  std::uint32_t writers_waiting;  // of a read-write lock that prefers writers
  std::int32_t kind;              // of a mutex; kDestroyed of a read-write lock too
  // The readers of a read-write lock, counted by the threads' slots modulo kReaders. A full counter stays
  // full until the lock has no reader.
  static constexpr std::size_t kReaders = 16;
  std::uint8_t readers[kReaders];

  // glibc's mark for it. It reads as a robust mutex, which the fast paths exclude anyway.
  static constexpr std::int32_t kDestroyed = -1;
  bool is_destroyed() const { return kind == kDestroyed; }
};
static_assert(sizeof(LockState) <= sizeof(pthread_mutex_t) && sizeof(LockState) <= sizeof(pthread_rwlock_t));

struct ConditionState {
  std::uint32_t clock;  // clockid_t that timed waits count by

  static constexpr std::uint32_t kDestroyed = ~std::uint32_t{0};
  bool is_destroyed() const { return clock == kDestroyed; }
};
static_assert(sizeof(ConditionState) <= sizeof(pthread_cond_t));

struct SemaphoreState {
  std::uint32_t count;
  std::uint32_t mark;  // kDestroyed, or anything else

  static constexpr std::uint32_t kDestroyed = 0xdead5e3a;
  bool is_destroyed() const { return mark == kDestroyed; }
};
static_assert(sizeof(SemaphoreState) <= sizeof(sem_t));

struct BarrierState {
  std::uint32_t threads;  // 0: it is not initialised
  std::uint32_t arrived;
  std::uint32_t mark;  // kDestroyed, or barrier_mark() of an initialised barrier (lock_misuse.hpp)

  static constexpr std::uint32_t kDestroyed = 0xdeadba99;
  bool is_destroyed() const { return mark == kDestroyed; }
};
static_assert(sizeof(BarrierState) <= sizeof(pthread_barrier_t));

inline constexpr pthread_once_t kOnceRunning = 1;  // glibc's numbers, since programs look at them
inline constexpr pthread_once_t kOnceDone = 2;

// A static-initialisation guard (Itanium C++ ABI 3.3.3): the first byte says done, the second is ours.
struct GuardState {
  std::uint8_t done;
  std::uint8_t running;
};

template <typename State>
State& state_at(std::uint64_t object) {
  return *reinterpret_cast<State*>(object);
}

inline bool lock_is_free(std::uint64_t object) {
  const auto& lock = state_at<LockState>(object);
  return lock.owner == 0 && lock.count == 0;
}
inline bool shared_lock_is_free(std::uint64_t object) {
  const auto& lock = state_at<LockState>(object);
  return lock.owner == 0 && lock.writers_waiting == 0;
}
inline ThreadId lock_holder(std::uint64_t object) {
  std::uint32_t owner = state_at<LockState>(object).owner;
  return owner == 0 ? kNoThread : static_cast<ThreadId>(owner - 1);
}
// Whether the thread in that slot, or another one counted with it, reads.
inline bool is_read_by(std::uint64_t object, std::uint16_t slot) {
  const auto& lock = state_at<LockState>(object);
  return lock.owner == 0 && lock.count != 0 && lock.readers[slot % LockState::kReaders] != 0;
}
inline constexpr pthread_spinlock_t kSpinLockDestroyed = -1;
inline bool spin_lock_is_free(std::uint64_t object) {
  auto word = state_at<pthread_spinlock_t>(object);
  return word == 0 || word == kSpinLockDestroyed;
}
inline ThreadId spin_lock_holder(std::uint64_t object) {
  auto owner = static_cast<std::uint32_t>(state_at<pthread_spinlock_t>(object));
  return owner == 0 ? kNoThread : static_cast<ThreadId>(owner - 1);
}
inline std::uint32_t semaphore_count(std::uint64_t object) { return state_at<SemaphoreState>(object).count; }
inline bool once_is_running(std::uint64_t object) { return state_at<pthread_once_t>(object) == kOnceRunning; }
inline bool guard_is_running(std::uint64_t object) { return state_at<GuardState>(object).running != 0; }

}  // namespace thrum
