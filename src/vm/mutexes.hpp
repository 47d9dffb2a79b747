// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who has a mutex: what locks, condition waits and the ends of threads have in common. A thread knows the
// robust mutexes that it holds, since they are unlocked at its end.
#pragma once

#include <cstdint>

#include "objects/objects.hpp"
#include "vm/externals.hpp"

namespace thrum::vm {

inline constexpr int kKindMask = 3;      // of LockState::kind: PTHREAD_MUTEX_NORMAL and so on
inline constexpr int kMutexRobust = 16;  // as glibc has it

inline int kind_of(const LockState& lock) { return lock.kind & kKindMask; }
inline bool is_robust(const LockState& lock) { return (lock.kind & kMutexRobust) != 0; }
inline bool checks_owner(const LockState& lock) {
  return kind_of(lock) == PTHREAD_MUTEX_RECURSIVE || kind_of(lock) == PTHREAD_MUTEX_ERRORCHECK ||
         is_robust(lock);
}

// The running thread takes a mutex that nobody holds. 0; EOWNERDEAD: it has it, and its last owner died;
// ENOTRECOVERABLE: it does not have it. Where the thread holds too many robust mutexes the execution is over.
int take_mutex(Call& call, std::uint64_t object);
// It gives up a mutex that it holds once.
void give_up_mutex(Call& call, std::uint64_t object);

}  // namespace thrum::vm
