// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// case free_one: exhausted
// case kinds: exhausted
// case threads: exhausted
//
// The C library looks at the time of a timed lock of a mutex only if it has to wait; of a read-write lock or a
// semaphore at once.
#define _GNU_SOURCE
#include <semaphore.h>
#include <threads.h>

#include "../../cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec invalid = {5, -1};
static int plain;

static void run_free_one(void) {
  assert(pthread_mutex_timedlock(&mutex, &invalid) == 0);
  assert(pthread_mutex_trylock(&mutex) == EBUSY);
  pthread_mutex_unlock(&mutex);
  assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &invalid) == 0);
  assert(pthread_mutex_timedlock(&mutex, &invalid) == EINVAL);
  pthread_mutex_unlock(&mutex);
  mtx_t other;
  mtx_init(&other, mtx_timed);
  assert(mtx_timedlock(&other, &invalid) == thrd_success);
  mtx_unlock(&other);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  assert(pthread_rwlock_timedrdlock(&lock, &invalid) == EINVAL);
  assert(pthread_rwlock_timedwrlock(&lock, &invalid) == EINVAL);
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  assert(sem_timedwait(&semaphore, &invalid) == -1 && errno == EINVAL);
}

static void lock_twice(int kind, int expected) {
  pthread_mutex_t other;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  pthread_mutex_init(&other, &attributes);
  assert(pthread_mutex_timedlock(&other, &invalid) == 0);
  assert(pthread_mutex_timedlock(&other, &invalid) == expected);
  if (expected == 0) pthread_mutex_unlock(&other);
  pthread_mutex_unlock(&other);
  pthread_mutex_destroy(&other);
}
static void run_kinds(void) {
  lock_twice(PTHREAD_MUTEX_RECURSIVE, 0);
  lock_twice(PTHREAD_MUTEX_ERRORCHECK, EDEADLK);
}

static void* lock_it(void* argument) {
  const int error = pthread_mutex_timedlock(&mutex, &invalid);
  assert(error == 0 || error == EINVAL);
  if (error != 0) return argument;
  ++plain;
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void run_threads(void) {
  run_two(lock_it, lock_it);
  assert(plain == 1 || plain == 2);
}

MAIN(CASE(free_one), CASE(kinds), CASE(threads))
