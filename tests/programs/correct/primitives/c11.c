// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case threads: exhausted
// case mutexes: exhausted
// case conditions: exhausted
// case timeouts: exhausted
// case specific: exhausted
// case once: exhausted
// case clock: exhausted
#define _GNU_SOURCE
#include <stdatomic.h>
#include <threads.h>

#include "../../cases.h"

static atomic_int value;
static int plain;
static mtx_t mutex;
static cnd_t changed;
static tss_t key;
static once_flag flag = ONCE_FLAG_INIT;

static int give_seven(void* argument) {
  ++value;
  if (argument == NULL) thrd_exit(7);
  return 8;
}
static void run_threads(void) {
  thrd_t threads[3];
  int results[2];
  assert(thrd_create(&threads[0], give_seven, NULL) == thrd_success);
  assert(thrd_create(&threads[1], give_seven, &value) == thrd_success);
  assert(thrd_create(&threads[2], give_seven, &value) == thrd_success);
  assert(thrd_detach(threads[2]) == thrd_success);
  assert(!thrd_equal(threads[0], thrd_current()));
  thrd_join(threads[0], &results[0]);
  thrd_join(threads[1], &results[1]);
  assert(results[0] == 7 && results[1] == 8);
}

static void run_both(thrd_start_t one, thrd_start_t other) {
  thrd_t threads[2];
  thrd_create(&threads[0], one, NULL);
  thrd_create(&threads[1], other, NULL);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
}
static int lock_twice(void* argument) {
  while (mtx_trylock(&mutex) == thrd_busy) thrd_yield();
  mtx_lock(&mutex);
  ++plain;
  mtx_unlock(&mutex);
  mtx_unlock(&mutex);
  return argument != NULL;
}
static void run_mutexes(void) {
  assert(mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
  run_both(lock_twice, lock_twice);
  assert(plain == 2);
  mtx_destroy(&mutex);
}
static int wait_for_one(void* argument) {
  mtx_lock(&mutex);
  while (plain == 0) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  return argument != NULL;
}
static int make_one(void* argument) {
  mtx_lock(&mutex);
  plain = 1;
  cnd_signal(&changed);
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  return argument != NULL;
}
static void run_conditions(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  run_both(wait_for_one, make_one);
  cnd_destroy(&changed);
}
static int wait_in_time(void* argument) {
  struct timespec time;
  assert(timespec_get(&time, TIME_UTC) == TIME_UTC);
  ++time.tv_sec;
  if (mtx_timedlock(&mutex, &time) == thrd_timedout) return 0;
  const int result = plain == 0 ? cnd_timedwait(&changed, &mutex, &time) : thrd_success;
  assert(result == thrd_success || result == thrd_timedout);
  assert(result == thrd_timedout || plain == 1);
  mtx_unlock(&mutex);
  return argument != NULL;
}
static void run_timeouts(void) {
  mtx_init(&mutex, mtx_timed);
  cnd_init(&changed);
  run_both(wait_in_time, make_one);
}
static void count(void* pointer) {
  (void)pointer;
  ++value;
}
static int set_and_end(void* argument) {
  assert(tss_get(key) == NULL);
  assert(tss_set(key, &key) == thrd_success);
  value += 0;
  assert(tss_get(key) == &key);
  return argument != NULL;
}
static void run_specific(void) {
  tss_create(&key, count);
  run_both(set_and_end, set_and_end);
  assert(value == 2);
  tss_delete(key);
}
static void initialise(void) { ++plain; }
static int begin(void* argument) {
  call_once(&flag, initialise);
  assert(plain == 1);
  return argument != NULL;
}
static void run_once(void) { run_both(begin, begin); }
static int sleep_long(void* argument) {
  struct timespec before, after;
  const struct timespec minute = {60, 0};
  timespec_get(&before, TIME_UTC);
  assert(thrd_sleep(&minute, NULL) == 0);
  timespec_get(&after, TIME_UTC);
  assert(after.tv_sec - before.tv_sec >= 60);
  return argument != NULL;
}
static void run_clock(void) { run_both(sleep_long, sleep_long); }

MAIN(CASE(threads), CASE(mutexes), CASE(conditions), CASE(timeouts), CASE(specific), CASE(once), CASE(clock))
