// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case pthread_mutex_lock: bug deadlock preemptions=1
// case pthread_mutex_unlock: bug data-race
// case pthread_mutex_trylock: bug data-race preemptions=1
// case pthread_mutex_timedlock: bug assertion preemptions=2
// case pthread_mutex_clocklock: bug assertion preemptions=2
// case pthread_mutex_init: bug data-race
// case pthread_mutex_destroy: bug data-race
// case pthread_mutex_consistent: bug assertion preemptions=1
// case pthread_mutex_setprioceiling: bug assertion preemptions=1
// case pthread_mutex_getprioceiling: bug assertion preemptions=0
// case pthread_mutexattr_settype: bug data-race
// case pthread_mutexattr_setrobust: bug assertion preemptions=0
#define _GNU_SOURCE
#include <stdatomic.h>

#include "../../cases.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static int inside;
static atomic_int half_done;

static void visit(void) {
  assert(inside == 0);
  ++inside;
  pthread_mutex_lock(&second);  // a switch may come here
  pthread_mutex_unlock(&second);
  --inside;
}

// Two locks in two orders.
static void* first_then_second(void* argument) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return argument;
}
static void* second_then_first(void* argument) {
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  return argument;
}
static void run_pthread_mutex_lock(void) { run_two(first_then_second, second_then_first); }

// The mutex is given up in the middle.
static void* unlock_too_early(void* argument) {
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  visit();
  return argument;
}
static void run_pthread_mutex_unlock(void) { run_two(unlock_too_early, unlock_too_early); }

static void* visit_locked(void* argument) {
  pthread_mutex_lock(&first);
  visit();
  pthread_mutex_unlock(&first);
  return argument;
}

// Whoever did not get the mutex goes in all the same.
static void* ignore_try(void* argument) {
  const int error = pthread_mutex_trylock(&first);
  visit();
  if (error == 0) pthread_mutex_unlock(&first);
  return argument;
}
static void run_pthread_mutex_trylock(void) { run_two(visit_locked, ignore_try); }

static void* ignore_timeout(void* argument) {
  const struct timespec time = in_a_second(CLOCK_REALTIME);
  const int error = pthread_mutex_timedlock(&first, &time);
  assert(error == 0);
  pthread_mutex_unlock(&first);
  return argument;
}
static void run_pthread_mutex_timedlock(void) { run_two(visit_locked, ignore_timeout); }

static void* ignore_clock_timeout(void* argument) {
  const struct timespec time = in_a_second(CLOCK_MONOTONIC);
  const int error = pthread_mutex_clocklock(&first, CLOCK_MONOTONIC, &time);
  assert(error == 0);
  pthread_mutex_unlock(&first);
  return argument;
}
static void run_pthread_mutex_clocklock(void) { run_two(visit_locked, ignore_clock_timeout); }

// Who initialises a mutex that another holds lets everybody in.
static void* init_and_visit(void* argument) {
  half_done = 0;  // a switch may come before the initialisation
  pthread_mutex_init(&first, NULL);
  return visit_locked(argument);
}
static void run_pthread_mutex_init(void) { run_two(init_and_visit, init_and_visit); }

// A mutex that somebody may hold still.
static void* destroy(void* argument) {
  assert(pthread_mutex_destroy(&first) == 0);
  return argument;
}
static void run_pthread_mutex_destroy(void) { run_two(visit_locked, destroy); }

static void init_with_type(int type, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutex_init(&first, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

static void* die_with_lock(void* argument) {
  pthread_mutex_lock(&first);
  half_done = 1;
  return argument;
}
// The mutex is consistent, and given up, before what it protects is.
static void* repair_late(void* argument) {
  if (pthread_mutex_lock(&first) == EOWNERDEAD) pthread_mutex_consistent(&first);
  pthread_mutex_unlock(&first);
  half_done = 0;
  return argument;
}
static void* expect_repaired(void* argument) {
  if (pthread_mutex_lock(&first) == 0) assert(!half_done);
  pthread_mutex_unlock(&first);
  return argument;
}
static void run_pthread_mutex_consistent(void) {
  init_with_type(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  pthread_t thread;
  pthread_create(&thread, NULL, die_with_lock, NULL);
  pthread_join(thread, NULL);
  run_two(repair_late, expect_repaired);
}

// That the last holder died is told, and not listened to.
static void* expect_done(void* argument) {
  pthread_mutex_lock(&first);
  assert(!half_done);
  pthread_mutex_unlock(&first);
  return argument;
}
static void run_pthread_mutexattr_setrobust(void) {
  init_with_type(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  run_two(expect_done, die_with_lock);
}

// A recursive mutex keeps nobody out who holds it already.
static void* visit_twice(void* argument) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&first);
  visit();
  return argument;
}
static void run_pthread_mutexattr_settype(void) {
  init_with_type(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  run_two(visit_twice, visit_twice);
}

static void init_with_ceiling(int ceiling) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
  pthread_mutexattr_setprioceiling(&attributes, ceiling);
  pthread_mutex_init(&first, &attributes);
}

// Of two that each raise the ceiling by one, one is lost.
static void* raise_by_one(void* argument) {
  int ceiling, former;
  half_done = 0;  // a switch may come before the ceiling is read
  pthread_mutex_getprioceiling(&first, &ceiling);
  pthread_mutex_setprioceiling(&first, ceiling + 1, &former);
  return argument;
}
static void run_pthread_mutex_setprioceiling(void) {
  int ceiling;
  init_with_ceiling(5);
  run_two(raise_by_one, raise_by_one);
  pthread_mutex_getprioceiling(&first, &ceiling);
  assert(ceiling == 7);
}

// The ceiling that is read may be another's already.
static void* raise_ceiling(void* argument) {
  int former;
  pthread_mutex_setprioceiling(&first, 9, &former);
  return argument;
}
static void* read_ceiling(void* argument) {
  int ceiling;
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_getprioceiling(&first, &ceiling);
  assert(ceiling == 5);
  return argument;
}
static void run_pthread_mutex_getprioceiling(void) {
  init_with_ceiling(5);
  run_two(read_ceiling, raise_ceiling);
}

MAIN(CASE(pthread_mutex_lock), CASE(pthread_mutex_unlock), CASE(pthread_mutex_trylock),
     CASE(pthread_mutex_timedlock), CASE(pthread_mutex_clocklock), CASE(pthread_mutex_init),
     CASE(pthread_mutex_destroy), CASE(pthread_mutex_consistent), CASE(pthread_mutex_setprioceiling),
     CASE(pthread_mutex_getprioceiling), CASE(pthread_mutexattr_settype), CASE(pthread_mutexattr_setrobust))
