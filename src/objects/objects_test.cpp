// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/objects.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

std::uint64_t address_of(const volatile void* object) { return reinterpret_cast<std::uint64_t>(object); }

TEST(Objects, StaticInitialisersMeanFree) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_once_t once = PTHREAD_ONCE_INIT;
  for (const void* object : {static_cast<void*>(&mutex), static_cast<void*>(&recursive)}) {
    EXPECT_TRUE(lock_is_free(address_of(object)));
    EXPECT_EQ(lock_holder(address_of(object)), kNoThread);
    EXPECT_FALSE(state_at<LockState>(address_of(object)).is_destroyed());
  }
  EXPECT_EQ(state_at<LockState>(address_of(&recursive)).kind, PTHREAD_MUTEX_RECURSIVE);
  EXPECT_TRUE(shared_lock_is_free(address_of(&lock)));
  EXPECT_FALSE(state_at<LockState>(address_of(&lock)).is_destroyed());
  EXPECT_FALSE(once_is_running(address_of(&once)));
}

TEST(Objects, AKindAtLibcsPlaceIsRead) {
  pthread_mutex_t mutex;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attributes);
  EXPECT_EQ(state_at<LockState>(address_of(&mutex)).kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_destroy(&mutex);
  EXPECT_TRUE(state_at<LockState>(address_of(&mutex)).is_destroyed()) << "glibc's mark";
}

TEST(Objects, WhoHoldsALock) {
  LockState lock{};
  lock.owner = 3 + 1;
  EXPECT_FALSE(lock_is_free(address_of(&lock)));
  EXPECT_FALSE(shared_lock_is_free(address_of(&lock)));
  EXPECT_EQ(lock_holder(address_of(&lock)), ThreadId{3});
  EXPECT_FALSE(is_read_by(address_of(&lock), 3));
}

TEST(Objects, ReadersAreCountedBySlot) {
  LockState lock{};
  lock.count = 1;
  lock.readers[5] = 1;
  EXPECT_FALSE(lock_is_free(address_of(&lock))) << "for a writer";
  EXPECT_TRUE(shared_lock_is_free(address_of(&lock)));
  EXPECT_TRUE(is_read_by(address_of(&lock), 5));
  EXPECT_TRUE(is_read_by(address_of(&lock), 5 + LockState::kReaders)) << "it is counted with slot 5";
  EXPECT_FALSE(is_read_by(address_of(&lock), 6));
  lock.writers_waiting = 1;
  EXPECT_FALSE(shared_lock_is_free(address_of(&lock))) << "writers are preferred";
}

TEST(Objects, SpinLocks) {
  pthread_spinlock_t lock = 0;
  EXPECT_TRUE(spin_lock_is_free(address_of(&lock)));
  EXPECT_EQ(spin_lock_holder(address_of(&lock)), kNoThread);
  lock = 2 + 1;
  EXPECT_FALSE(spin_lock_is_free(address_of(&lock)));
  EXPECT_EQ(spin_lock_holder(address_of(&lock)), ThreadId{2});
  lock = kSpinLockDestroyed;
  EXPECT_TRUE(spin_lock_is_free(address_of(&lock))) << "a thread that uses it fails and does not wait";
}

TEST(Objects, AGuardIsDoneInItsFirstByte) {
  GuardState guard{};
  EXPECT_FALSE(guard_is_running(address_of(&guard)));
  guard.running = 1;
  EXPECT_TRUE(guard_is_running(address_of(&guard)));
  guard = {1, 0};
  EXPECT_FALSE(guard_is_running(address_of(&guard)));
}

}  // namespace
}  // namespace thrum
