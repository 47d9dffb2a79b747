// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case pthread_rwlock_init: bug deadlock
// case pthread_rwlock_destroy: bug data-race
// case pthread_rwlock_rdlock: bug assertion
// case pthread_rwlock_wrlock: bug deadlock
// case pthread_rwlock_tryrdlock: bug assertion
// case pthread_rwlock_trywrlock: bug assertion
// case pthread_rwlock_timedrdlock: bug assertion
// case pthread_rwlock_timedwrlock: bug assertion
// case pthread_rwlock_clockrdlock: bug assertion
// case pthread_rwlock_clockwrlock: bug assertion
// case pthread_rwlock_unlock: bug assertion
// case pthread_spin_init: bug data-race
// case pthread_spin_destroy: bug lock-misuse
// case pthread_spin_lock: bug deadlock
// case pthread_spin_trylock: bug assertion
// case pthread_spin_unlock: bug assertion
#define _GNU_SOURCE
#include <stdatomic.h>

#include "../../cases.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t second = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_spinlock_t second_spin;
static atomic_int value;

static void increment(void) {
  const int before = value;
  value = before + 1;
}

static void* write_locked(void* argument) {
  pthread_rwlock_wrlock(&lock);
  increment();
  pthread_rwlock_unlock(&lock);
  return argument;
}

// Where writers go first, a reader must not come again while it holds the lock.
static void* read_twice(void* argument) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  return argument;
}
static void run_pthread_rwlock_init(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  run_two(read_twice, write_locked);
}

static void* destroy(void* argument) {
  assert(pthread_rwlock_destroy(&lock) == 0);
  return argument;
}
static void run_pthread_rwlock_destroy(void) { run_two(write_locked, destroy); }

// Readers do not keep each other out.
static void* increment_as_reader(void* argument) {
  pthread_rwlock_rdlock(&lock);
  increment();
  pthread_rwlock_unlock(&lock);
  return argument;
}
static void run_pthread_rwlock_rdlock(void) {
  run_two(increment_as_reader, increment_as_reader);
  assert(value == 2);
}

static void* in_order(void* argument) {
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_wrlock(&second);
  pthread_rwlock_unlock(&second);
  pthread_rwlock_unlock(&lock);
  return argument;
}
static void* in_other_order(void* argument) {
  pthread_rwlock_rdlock(&second);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&second);
  return argument;
}
static void run_pthread_rwlock_wrlock(void) { run_two(in_order, in_other_order); }

// The result of a try or of a timed call is not looked at.
static void* try_read(void* argument) {
  assert(pthread_rwlock_tryrdlock(&lock) == 0);
  pthread_rwlock_unlock(&lock);
  return argument;
}
static void run_pthread_rwlock_tryrdlock(void) { run_two(write_locked, try_read); }
static void* try_write(void* argument) {
  const int error = pthread_rwlock_trywrlock(&lock);
  increment();
  if (error == 0) pthread_rwlock_unlock(&lock);
  return argument;
}
static void run_pthread_rwlock_trywrlock(void) {
  run_two(write_locked, try_write);
  assert(value == 2);
}

#define TIMED(kind, call, clock_id, ...)                         \
  static void* call##_in_time(void* argument) {                  \
    const struct timespec time = in_a_second(clock_id);          \
    assert(pthread_rwlock_##call(&lock, __VA_ARGS__) == 0);      \
    pthread_rwlock_unlock(&lock);                                \
    return argument;                                             \
  }                                                              \
  static void run_pthread_rwlock_##call(void) { run_two(write_locked, call##_in_time); }
TIMED(read, timedrdlock, CLOCK_REALTIME, &time)
TIMED(write, timedwrlock, CLOCK_REALTIME, &time)
TIMED(read, clockrdlock, CLOCK_MONOTONIC, CLOCK_MONOTONIC, &time)
TIMED(write, clockwrlock, CLOCK_MONOTONIC, CLOCK_MONOTONIC, &time)

static void* unlock_too_early(void* argument) {
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  increment();
  return argument;
}
static void run_pthread_rwlock_unlock(void) {
  run_two(write_locked, unlock_too_early);
  assert(value == 2);
}

static void* spin_and_increment(void* argument) {
  pthread_spin_lock(&spin);
  increment();
  pthread_spin_unlock(&spin);
  return argument;
}
// Made anew while it is held, it is free.
static void* init_again(void* argument) {
  if (value == 0) pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  return spin_and_increment(argument);
}
static void run_pthread_spin_init(void) {
  run_two(spin_and_increment, init_again);
  assert(value == 2);
}
static void* destroy_after_use(void* argument) {
  pthread_spin_destroy(&spin);
  spin = 0;
  return spin_and_increment(argument);
}
static void run_pthread_spin_destroy(void) {
  run_two(spin_and_increment, destroy_after_use);
  assert(value == 2);
}
static void* spins_in_order(void* argument) {
  pthread_spin_lock(&spin);
  pthread_spin_lock(&second_spin);
  pthread_spin_unlock(&second_spin);
  pthread_spin_unlock(&spin);
  return argument;
}
static void* spins_in_other_order(void* argument) {
  pthread_spin_lock(&second_spin);
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
  pthread_spin_unlock(&second_spin);
  return argument;
}
static void run_pthread_spin_lock(void) { run_two(spins_in_order, spins_in_other_order); }
static void* try_spin(void* argument) {
  const int error = pthread_spin_trylock(&spin);
  increment();
  if (error == 0) pthread_spin_unlock(&spin);
  return argument;
}
static void run_pthread_spin_trylock(void) {
  run_two(spin_and_increment, try_spin);
  assert(value == 2);
}
static void* unlock_spin_too_early(void* argument) {
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
  increment();
  return argument;
}
static void run_pthread_spin_unlock(void) {
  run_two(spin_and_increment, unlock_spin_too_early);
  assert(value == 2);
}

MAIN(CASE(pthread_rwlock_init), CASE(pthread_rwlock_destroy), CASE(pthread_rwlock_rdlock),
     CASE(pthread_rwlock_wrlock), CASE(pthread_rwlock_tryrdlock), CASE(pthread_rwlock_trywrlock),
     CASE(pthread_rwlock_timedrdlock), CASE(pthread_rwlock_timedwrlock), CASE(pthread_rwlock_clockrdlock),
     CASE(pthread_rwlock_clockwrlock), CASE(pthread_rwlock_unlock), CASE(pthread_spin_init),
     CASE(pthread_spin_destroy), CASE(pthread_spin_lock), CASE(pthread_spin_trylock), CASE(pthread_spin_unlock))
