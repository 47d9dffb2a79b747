// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case thrd_create: bug assertion
// case thrd_join: bug assertion
// case thrd_detach: bug assertion
// case thrd_exit: bug assertion
// case thrd_yield: bug assertion
// case thrd_sleep: bug assertion
// case thrd_current: bug assertion
// case mtx_init: bug lock-misuse
// case mtx_lock: bug deadlock
// case mtx_unlock: bug assertion
// case mtx_trylock: bug assertion
// case mtx_timedlock: bug assertion
// case mtx_destroy: bug data-race
// case cnd_init: bug data-race
// case cnd_wait: bug deadlock
// case cnd_timedwait: bug assertion
// case cnd_signal: bug deadlock
// case cnd_broadcast: bug assertion
// case cnd_destroy: bug lock-misuse
// case tss_create: bug assertion
// case tss_delete: bug assertion
// case tss_set: bug assertion
// case tss_get: bug assertion
// case call_once: bug deadlock
// case timespec_get: bug assertion
#define _GNU_SOURCE
#include <stdatomic.h>
#include <threads.h>

#include "../../cases.h"

static atomic_int value;
static mtx_t first, second;
static cnd_t changed;
static int ready;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT, second_once = ONCE_FLAG_INIT;

static void run_threads(thrd_start_t one, thrd_start_t other) {
  thrd_t threads[2];
  thrd_create(&threads[0], one, NULL);
  thrd_create(&threads[1], other, NULL);
  thrd_join(threads[0], NULL);
  thrd_join(threads[1], NULL);
}

static int set_value(void* argument) {
  value = 1;
  return argument == NULL ? 7 : 0;
}

static void run_thrd_create(void) {
  thrd_t thread;
  thrd_create(&thread, set_value, NULL);
  assert(value == 0);
}
static int result_of_race(void* argument) {
  (void)argument;
  return value;
}
static void run_thrd_join(void) {
  thrd_t thread;
  int result;
  thrd_create(&thread, result_of_race, NULL);
  value = 1;
  thrd_join(thread, &result);
  assert(result == 1);
}
static void run_thrd_detach(void) {
  thrd_t thread;
  thrd_create(&thread, set_value, NULL);
  thrd_detach(thread);
  assert(value == 1);
}
static int exit_if_early(void* argument) {
  (void)argument;
  if (value == 0) thrd_exit(3);
  return 0;
}
static void run_thrd_exit(void) {
  thrd_t thread;
  int result;
  thrd_create(&thread, exit_if_early, NULL);
  value = 1;
  thrd_join(thread, &result);
  assert(result == 0);
}
// Giving way once, or sleeping, is no synchronization.
static void run_thrd_yield(void) {
  thrd_t thread;
  thrd_create(&thread, set_value, NULL);
  thrd_yield();
  assert(value == 1);
}
static void run_thrd_sleep(void) {
  thrd_t thread;
  thrd_create(&thread, set_value, NULL);
  const struct timespec second_long = {1, 0};
  thrd_sleep(&second_long, NULL);
  assert(value == 1);
}
static thrd_t handles[2];
static int find_self(void* argument) {
  assert(thrd_equal(thrd_current(), handles[value++]));
  return argument != NULL;
}
static void run_thrd_current(void) {
  thrd_create(&handles[0], find_self, NULL);
  thrd_create(&handles[1], find_self, NULL);
  thrd_join(handles[0], NULL);
  thrd_join(handles[1], NULL);
}

// Not recursive.
static int lock_twice(void* argument) {
  mtx_lock(&first);
  mtx_lock(&first);
  mtx_unlock(&first);
  mtx_unlock(&first);
  return argument != NULL;
}
static void run_mtx_init(void) {
  mtx_init(&first, mtx_plain);
  run_threads(lock_twice, lock_twice);
}
static int in_order(void* argument) {
  mtx_lock(&first);
  mtx_lock(&second);
  mtx_unlock(&second);
  mtx_unlock(&first);
  return argument != NULL;
}
static int in_other_order(void* argument) {
  mtx_lock(&second);
  mtx_lock(&first);
  mtx_unlock(&first);
  mtx_unlock(&second);
  return argument != NULL;
}
static void init_both(void) {
  mtx_init(&first, mtx_timed);
  mtx_init(&second, mtx_plain);
}
static void run_mtx_lock(void) {
  init_both();
  run_threads(in_order, in_other_order);
}
static int unlock_too_early(void* argument) {
  mtx_lock(&first);
  mtx_unlock(&first);
  const int before = value;
  value = before + 1;
  return argument != NULL;
}
static void run_mtx_unlock(void) {
  init_both();
  run_threads(unlock_too_early, unlock_too_early);
  assert(value == 2);
}
static int try_once(void* argument) {
  assert(mtx_trylock(&first) == thrd_success);
  mtx_unlock(&first);
  return argument != NULL;
}
static void run_mtx_trylock(void) {
  init_both();
  run_threads(in_order, try_once);
}
static int try_in_time(void* argument) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  time.tv_sec += 1;
  assert(mtx_timedlock(&first, &time) == thrd_success);
  mtx_unlock(&first);
  return argument != NULL;
}
static void run_mtx_timedlock(void) {
  init_both();
  run_threads(in_order, try_in_time);
}
// Destroyed and made anew while another holds it.
static int locked_increment(void* argument) {
  mtx_lock(&first);
  const int before = value;
  value = before + 1;
  mtx_unlock(&first);
  return argument != NULL;
}
static int destroy_and_lock(void* argument) {
  if (value == 0) {
    mtx_destroy(&first);
    mtx_init(&first, mtx_plain);
  }
  return locked_increment(argument);
}
static void run_mtx_destroy(void) {
  init_both();
  run_threads(locked_increment, destroy_and_lock);
  assert(value == 2);
}

static int wait_once(void* argument) {
  mtx_lock(&first);
  cnd_wait(&changed, &first);
  mtx_unlock(&first);
  return argument != NULL;
}
static int make_ready(void* argument) {
  mtx_lock(&first);
  ready = 1;
  cnd_signal(&changed);
  mtx_unlock(&first);
  return argument != NULL;
}
static int wait_ready(void* argument) {
  mtx_lock(&first);
  while (!ready) cnd_wait(&changed, &first);
  mtx_unlock(&first);
  return argument != NULL;
}
static void init_condition(void) {
  init_both();
  cnd_init(&changed);
}
static void run_cnd_wait(void) {
  init_condition();
  run_threads(wait_once, make_ready);
}
static int init_and_wait(void* argument) {
  cnd_init(&changed);
  return wait_once(argument);
}
static void run_cnd_init(void) {
  init_condition();
  run_threads(init_and_wait, make_ready);
}
static int signal_and_destroy(void* argument) {
  make_ready(argument);
  cnd_destroy(&changed);
  return 0;
}
static void run_cnd_destroy(void) {
  init_condition();
  run_threads(wait_once, signal_and_destroy);
}
static int wait_in_time(void* argument) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  time.tv_sec += 1;
  mtx_lock(&first);
  if (!ready) cnd_timedwait(&changed, &first, &time);
  assert(ready);
  mtx_unlock(&first);
  return argument != NULL;
}
static void run_cnd_timedwait(void) {
  init_condition();
  run_threads(wait_in_time, make_ready);
}
static void run_cnd_signal(void) {
  init_condition();
  thrd_t thread;
  thrd_create(&thread, wait_ready, NULL);
  thrd_t another;
  thrd_create(&another, wait_ready, NULL);
  make_ready(NULL);
  thrd_join(thread, NULL);
  thrd_join(another, NULL);
}
static int take_work(void* argument) {
  mtx_lock(&first);
  if (value == 0) {
    if (!ready) cnd_wait(&changed, &first);
    assert(ready);
    ready = 0;
    value = 1;
  }
  mtx_unlock(&first);
  return argument != NULL;
}
static void run_cnd_broadcast(void) {
  init_condition();
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], take_work, NULL);
  mtx_lock(&first);
  ready = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&first);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
}

static void lose_count(void* pointer) {
  (void)pointer;
  const int before = value;
  value = before - 1;
}
static int keep(void* argument) {
  tss_set(key, &value);
  ++value;
  return argument != NULL;
}
static void run_tss_create(void) {
  tss_create(&key, lose_count);
  run_threads(keep, keep);
  assert(value == 0);
}
static int delete_key(void* argument) {
  ++value;
  tss_delete(key);
  --value;
  return argument != NULL;
}
static void run_tss_delete(void) {
  tss_create(&key, lose_count);
  run_threads(keep, delete_key);
  assert(value == 0);
}
static int expect_setting(void* argument) {
  if (value == 1) assert(tss_get(key) == &value);
  return argument != NULL;
}
static void run_tss_set(void) {
  tss_create(&key, NULL);
  run_threads(keep, expect_setting);
}
static void run_tss_get(void) {
  tss_create(&key, NULL);
  run_threads(expect_setting, keep);
}

static void nothing(void) {}
static void need_second(void) { call_once(&second_once, nothing); }
static void need_first(void) { call_once(&once, nothing); }
static int begin_first(void* argument) {
  call_once(&once, need_second);
  return argument != NULL;
}
static int begin_second(void* argument) {
  call_once(&second_once, need_first);
  return argument != NULL;
}
static void run_call_once(void) { run_threads(begin_first, begin_second); }

// Two readings of the clock need not differ, nor be the same.
static int sleep_a_second(void* argument) {
  const struct timespec second_long = {1, 0};
  thrd_sleep(&second_long, NULL);
  return argument != NULL;
}
static int read_twice(void* argument) {
  struct timespec one, two;
  timespec_get(&one, TIME_UTC);
  timespec_get(&two, TIME_UTC);
  assert(one.tv_sec == two.tv_sec);
  return argument != NULL;
}
static void run_timespec_get(void) { run_threads(sleep_a_second, read_twice); }

MAIN(CASE(thrd_create), CASE(thrd_join), CASE(thrd_detach), CASE(thrd_exit), CASE(thrd_yield), CASE(thrd_sleep),
     CASE(thrd_current), CASE(mtx_init), CASE(mtx_lock), CASE(mtx_unlock), CASE(mtx_trylock), CASE(mtx_timedlock),
     CASE(mtx_destroy), CASE(cnd_init), CASE(cnd_wait), CASE(cnd_timedwait), CASE(cnd_signal), CASE(cnd_broadcast),
     CASE(cnd_destroy), CASE(tss_create), CASE(tss_delete), CASE(tss_set), CASE(tss_get), CASE(call_once),
     CASE(timespec_get))
