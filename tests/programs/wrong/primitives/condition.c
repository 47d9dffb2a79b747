// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case pthread_cond_init: bug data-race
// case pthread_cond_destroy: bug lock-misuse
// case pthread_cond_wait: bug deadlock
// case pthread_cond_timedwait: bug assertion
// case pthread_cond_clockwait: bug assertion
// case pthread_cond_signal: bug deadlock
// case pthread_cond_broadcast: bug assertion
// case pthread_barrier_init: bug deadlock
// case pthread_barrier_wait: bug assertion
// case pthread_barrier_destroy: bug data-race
// case pthread_once: bug deadlock
#define _GNU_SOURCE
#include <stdatomic.h>

#include "../../cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_once_t second_once = PTHREAD_ONCE_INIT;
static atomic_int value;
static int ready;

static void* wait_ready(void* argument) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void* make_ready(void* argument) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return argument;
}

// The signal for the old one is no signal for the new.
static void* signal_old(void* argument) {
  pthread_mutex_lock(&mutex);
  value = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void* init_and_wait(void* argument) {
  pthread_cond_init(&changed, NULL);
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void run_pthread_cond_init(void) { run_two(init_and_wait, signal_old); }

// It is destroyed when it was signalled, which may be before anybody waits.
static void* signal_and_destroy(void* argument) {
  signal_old(argument);
  pthread_cond_destroy(&changed);
  return argument;
}
static void* wait_once(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void run_pthread_cond_destroy(void) { run_two(wait_once, signal_and_destroy); }

// No predicate: the signal may come before.
static void run_pthread_cond_wait(void) { run_two(wait_once, make_ready); }

#define TIMED(name, clock_id, ...)                                \
  static void* wait_by_##name(void* argument) {                   \
    const struct timespec time = in_a_second(clock_id);           \
    pthread_mutex_lock(&mutex);                                   \
    if (!ready) pthread_cond_##name(&changed, &mutex, __VA_ARGS__); \
    assert(ready);                                                \
    pthread_mutex_unlock(&mutex);                                 \
    return argument;                                              \
  }                                                               \
  static void run_pthread_cond_##name(void) { run_two(wait_by_##name, make_ready); }
TIMED(timedwait, CLOCK_REALTIME, &time)
TIMED(clockwait, CLOCK_MONOTONIC, CLOCK_MONOTONIC, &time)

// One signal for two who wait.
static void run_pthread_cond_signal(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, wait_ready, NULL);
  pthread_create(&threads[1], NULL, wait_ready, NULL);
  make_ready(NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

// All wake, but there is work for one.
static void* take_work(void* argument) {
  pthread_mutex_lock(&mutex);
  if (value == 0) {
    if (!ready) pthread_cond_wait(&changed, &mutex);
    assert(ready);
    ready = 0;
    value = 1;
  }
  pthread_mutex_unlock(&mutex);
  return argument;
}
static void run_pthread_cond_broadcast(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, take_work, NULL);
  pthread_create(&threads[1], NULL, take_work, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static void* come(void* argument) {
  pthread_barrier_wait(&barrier);
  return argument;
}
// Three are waited for, two come.
static void run_pthread_barrier_init(void) {
  pthread_barrier_init(&barrier, NULL, 3);
  run_two(come, come);
}
// What is written behind the barrier may be read by who is late.
static void* write_behind(void* argument) {
  pthread_barrier_wait(&barrier);
  const int before = value;
  value = before + 1;
  return argument;
}
static void run_pthread_barrier_wait(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(write_behind, write_behind);
  assert(value == 2);
}
// Destroyed and made anew for one more, where the first to come has come already.
static void* make_anew(void* argument) {
  pthread_barrier_destroy(&barrier);
  pthread_barrier_init(&barrier, NULL, 3);
  return come(argument);
}
static void run_pthread_barrier_destroy(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(come, make_anew);
}

// Each initialisation needs the other.
static void nothing(void) {}
static void need_second(void) { pthread_once(&second_once, nothing); }
static void need_first(void) { pthread_once(&once, nothing); }
static void* begin_first(void* argument) {
  pthread_once(&once, need_second);
  return argument;
}
static void* begin_second(void* argument) {
  pthread_once(&second_once, need_first);
  return argument;
}
static void run_pthread_once(void) { run_two(begin_first, begin_second); }

MAIN(CASE(pthread_cond_init), CASE(pthread_cond_destroy), CASE(pthread_cond_wait), CASE(pthread_cond_timedwait),
     CASE(pthread_cond_clockwait), CASE(pthread_cond_signal), CASE(pthread_cond_broadcast),
     CASE(pthread_barrier_init), CASE(pthread_barrier_wait), CASE(pthread_barrier_destroy), CASE(pthread_once))
