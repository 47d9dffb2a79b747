// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case sem_init: bug data-race
// case sem_destroy: bug data-race
// case sem_wait: bug assertion
// case sem_timedwait: bug assertion
// case sem_clockwait: bug assertion
// case sem_trywait: bug assertion
// case sem_post: bug assertion
// case sem_getvalue: bug assertion
// case sem_open: bug assertion preemptions=1
// case sem_close: bug assertion preemptions=1
// case sem_unlink: bug assertion preemptions=0
#define _GNU_SOURCE
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "../../cases.h"

static sem_t semaphore;
static atomic_int value;

static void* wait_and_increment(void* argument) {
  sem_wait(&semaphore);
  const int before = value;
  value = before + 1;
  sem_post(&semaphore);
  return argument;
}
// What was posted before the initialisation is lost.
static void* init_and_wait(void* argument) {
  value = 1;
  sem_init(&semaphore, 0, 0);
  sem_wait(&semaphore);
  return argument;
}
static void* post_at_once(void* argument) {
  sem_post(&semaphore);
  return argument;
}
static void run_sem_init(void) {
  sem_init(&semaphore, 0, 0);
  run_two(init_and_wait, post_at_once);
}
// Two may be inside.
static void run_sem_wait(void) {
  sem_init(&semaphore, 0, 2);
  run_two(wait_and_increment, wait_and_increment);
  assert(value == 2);
}
static int semaphore_units(void) {
  int units;
  sem_getvalue(&semaphore, &units);
  return units;
}
// Made anew while the unit is taken, it has one more.
static void* destroy_and_init(void* argument) {
  if (value != 0) return argument;
  sem_destroy(&semaphore);
  sem_init(&semaphore, 0, 1);
  return wait_and_increment(argument);
}
static void run_sem_destroy(void) {
  sem_init(&semaphore, 0, 1);
  run_two(wait_and_increment, destroy_and_init);
  assert(semaphore_units() == 1);
}

// The result is not looked at.
static void* time_out(void* argument) {
  const struct timespec time = in_a_second(CLOCK_REALTIME);
  assert(sem_timedwait(&semaphore, &time) == 0);
  sem_post(&semaphore);
  return argument;
}
static void run_sem_timedwait(void) {
  sem_init(&semaphore, 0, 1);
  run_two(wait_and_increment, time_out);
}
static void* clock_out(void* argument) {
  const struct timespec time = in_a_second(CLOCK_MONOTONIC);
  assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &time) == 0);
  sem_post(&semaphore);
  return argument;
}
static void run_sem_clockwait(void) {
  sem_init(&semaphore, 0, 1);
  run_two(wait_and_increment, clock_out);
}
static void* try_once(void* argument) {
  assert(sem_trywait(&semaphore) == 0);
  sem_post(&semaphore);
  return argument;
}
static void run_sem_trywait(void) {
  sem_init(&semaphore, 0, 1);
  run_two(wait_and_increment, try_once);
}
// Posted before the work is done.
static void* post_too_early(void* argument) {
  sem_wait(&semaphore);
  sem_post(&semaphore);
  const int before = value;
  value = before + 1;
  return argument;
}
static void run_sem_post(void) {
  sem_init(&semaphore, 0, 1);
  run_two(wait_and_increment, post_too_early);
  assert(value == 2);
}
// The value is another one when it is acted upon.
static void* wait_where_it_seems_free(void* argument) {
  int units;
  sem_getvalue(&semaphore, &units);
  if (units == 1) assert(sem_trywait(&semaphore) == 0);
  return argument;
}
static void run_sem_getvalue(void) {
  sem_init(&semaphore, 0, 1);
  run_two(wait_where_it_seems_free, wait_where_it_seems_free);
}

// Both see that there is none; only one of them makes it.
static void* create_if_missing(void* argument) {
  value = 1;
  if (sem_open("/thrum-test", 0) != SEM_FAILED) return argument;
  value = 2;
  assert(sem_open("/thrum-test", O_CREAT | O_EXCL, 0600, 1) != SEM_FAILED);
  return argument;
}
static void run_sem_open(void) { run_two(create_if_missing, create_if_missing); }

// Each looks whether it is closed before the other has said that it closes it.
static sem_t* named;
static void* close_it(void* argument) {
  if (value == 0) {
    value = 1;
    assert(sem_close(named) == 0);
  }
  return argument;
}
static void run_sem_close(void) {
  named = sem_open("/thrum-test", O_CREAT, 0600, 1);
  run_two(close_it, close_it);
}

// The name is gone for who comes late.
static void* unlink_it(void* argument) {
  sem_unlink("/thrum-test");
  value = 1;
  return argument;
}
static void* open_it(void* argument) {
  const int seen = value;
  assert(seen == 0 || sem_open("/thrum-test", 0) != SEM_FAILED);
  return argument;
}
static void run_sem_unlink(void) {
  named = sem_open("/thrum-test", O_CREAT, 0600, 1);
  run_two(open_it, unlink_it);
}

MAIN(CASE(sem_init), CASE(sem_destroy), CASE(sem_wait), CASE(sem_timedwait), CASE(sem_clockwait), CASE(sem_trywait),
     CASE(sem_post), CASE(sem_getvalue), CASE(sem_open), CASE(sem_close), CASE(sem_unlink))
