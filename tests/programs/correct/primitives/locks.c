// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case timed_rwlock: exhausted
// case prefer_writers: exhausted
// case prefer_readers: exhausted
// case rwlock_destroy: exhausted
// case spin: exhausted
// case condition: exhausted
// case clock_wait: exhausted
// case barrier: exhausted
// case semaphore: exhausted
// case named_semaphore: exhausted
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "../../cases.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int value;
static int plain;

static void* write_plain(void* argument) {
  pthread_rwlock_wrlock(&lock);
  ++plain;
  pthread_rwlock_unlock(&lock);
  return argument;
}

// Each call has the lock or has timed out.
static void check(int error) {
  assert(error == 0 || error == ETIMEDOUT);
  if (error == 0) pthread_rwlock_unlock(&lock);
}
static void* take_in_time(void* argument) {
  struct timespec time = in_a_second(CLOCK_REALTIME);
  check(pthread_rwlock_timedrdlock(&lock, &time));
  check(pthread_rwlock_timedwrlock(&lock, &time));
  time = in_a_second(CLOCK_MONOTONIC);
  check(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &time));
  check(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &time));
  return argument;
}
static void run_timed_rwlock(void) { run_two(write_plain, take_in_time); }

static void init_lock(int kind) {
  pthread_rwlockattr_t attributes;
  int found;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, kind);
  pthread_rwlockattr_getkind_np(&attributes, &found);
  assert(found == kind);
  pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_rwlockattr_getpshared(&attributes, &found);
  assert(found == PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&lock, &attributes);
  pthread_rwlockattr_destroy(&attributes);
}
// A reader that comes once is never kept out for ever.
static void* read_plain(void* argument) {
  pthread_rwlock_rdlock(&lock);
  const int seen = plain;
  assert(seen == 0 || seen == 1);
  pthread_rwlock_unlock(&lock);
  const int error = pthread_rwlock_tryrdlock(&lock);
  assert(error == 0 || error == EBUSY);
  if (error == 0) pthread_rwlock_unlock(&lock);
  return argument;
}
static void run_prefer_writers(void) {
  init_lock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  run_two(read_plain, write_plain);
  assert(plain == 1);
}
// Where readers go first, they may come twice.
static void* read_twice(void* argument) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  return argument;
}
static void run_prefer_readers(void) {
  init_lock(PTHREAD_RWLOCK_PREFER_READER_NP);
  run_two(read_twice, write_plain);
}
static void* try_to_write(void* argument) {
  if (pthread_rwlock_trywrlock(&lock) == 0) {
    ++plain;
    pthread_rwlock_unlock(&lock);
  }
  return argument;
}
static void run_rwlock_destroy(void) {
  run_two(try_to_write, write_plain);
  assert(plain >= 1 && pthread_rwlock_destroy(&lock) == 0);
}

static pthread_spinlock_t spin;
static void* spin_and_count(void* argument) {
  if (pthread_spin_trylock(&spin) != 0) pthread_spin_lock(&spin);
  ++plain;
  pthread_spin_unlock(&spin);
  return argument;
}
static void run_spin(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  run_two(spin_and_count, spin_and_count);
  assert(plain == 2 && pthread_spin_destroy(&spin) == 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static void* wait_for_one(void* argument) {
  pthread_mutex_lock(&mutex);
  while (plain == 0) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void* make_one(void* argument) {
  pthread_mutex_lock(&mutex);
  plain = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void run_condition(void) {
  pthread_condattr_t attributes;
  int shared;
  clockid_t clock;
  pthread_condattr_init(&attributes);
  pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_condattr_getpshared(&attributes, &shared);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_condattr_getclock(&attributes, &clock);
  assert(shared == PTHREAD_PROCESS_SHARED && clock == CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &attributes);
  pthread_condattr_destroy(&attributes);
  run_two(wait_for_one, make_one);
  assert(pthread_cond_destroy(&changed) == 0);
}
static void* wait_by_clock(void* argument) {
  const struct timespec time = in_a_second(CLOCK_MONOTONIC);
  int error = 0;
  pthread_mutex_lock(&mutex);
  while (plain == 0 && error == 0)
    error = pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &time);
  assert(error == ETIMEDOUT || plain == 1);
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void run_clock_wait(void) {
  pthread_cond_init(&changed, NULL);
  run_two(wait_by_clock, make_one);
}

static pthread_barrier_t barrier;
static void* meet(void* argument) {
  ++value;
  const int result = pthread_barrier_wait(&barrier);
  assert(value == 2);
  if (result == PTHREAD_BARRIER_SERIAL_THREAD) ++plain;
  return argument;
}
static void run_barrier(void) {
  pthread_barrierattr_t attributes;
  int shared;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrierattr_getpshared(&attributes, &shared);
  assert(shared == PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&barrier, &attributes, 2);
  pthread_barrierattr_destroy(&attributes);
  run_two(meet, meet);
  assert(plain == 1 && pthread_barrier_destroy(&barrier) == 0);
}

static sem_t semaphore;
static void* take_and_give(void* argument) {
  const struct timespec time = in_a_second(CLOCK_MONOTONIC);
  if (sem_clockwait(&semaphore, CLOCK_MONOTONIC, &time) != 0) {
    assert(errno == ETIMEDOUT);
    sem_wait(&semaphore);
  }
  int units;
  sem_getvalue(&semaphore, &units);
  assert(units == 0);
  sem_post(&semaphore);
  return argument;
}
static void run_semaphore(void) {
  sem_init(&semaphore, 0, 1);
  run_two(take_and_give, take_and_give);
  assert(sem_destroy(&semaphore) == 0);
}
// The same name is the same semaphore until it is unlinked, and a new one afterwards.
static void* open_and_count(void* argument) {
  sem_t* named = sem_open("/thrum-test", O_CREAT, 0600, 1);
  sem_wait(named);
  ++plain;
  sem_post(named);
  sem_close(named);
  return argument;
}
static void run_named_semaphore(void) {
  assert(sem_open("/thrum-test", 0) == SEM_FAILED && errno == ENOENT);
  run_two(open_and_count, open_and_count);
  assert(plain == 2);
  assert(sem_open("/thrum-test", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
  assert(sem_unlink("/thrum-test") == 0 && sem_unlink("/thrum-test") == -1);
  assert(sem_open("/thrum-test", 0) == SEM_FAILED);
}

MAIN(CASE(timed_rwlock), CASE(prefer_writers), CASE(prefer_readers), CASE(rwlock_destroy), CASE(spin),
     CASE(condition), CASE(clock_wait), CASE(barrier), CASE(semaphore), CASE(named_semaphore))
