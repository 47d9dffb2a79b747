// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// case value: exhausted
// case destructor: exhausted
// case other_thread: exhausted
//
// A key that is created again has no values of the key that had its number before, and no destructor gets one.
#define _GNU_SOURCE
#include "../../cases.h"

static pthread_key_t key;
static pthread_key_t again;
static int called;

static void must_not_run(void* value) {
  (void)value;
  ++called;
}

static void* create_again(void* argument) {
  pthread_setspecific(key, &key);
  pthread_key_delete(key);
  assert(pthread_setspecific(key, &key) == EINVAL);
  assert(pthread_key_create(&again, must_not_run) == 0);
  assert(again == key);
  assert(pthread_getspecific(again) == NULL);
  return argument;
}

static void in_a_thread(body* run) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  assert(called == 0);
}

// Main's own value is gone, too.
static void run_value(void) {
  pthread_key_create(&key, NULL);
  pthread_setspecific(key, &called);
  in_a_thread(create_again);
  assert(pthread_getspecific(again) == NULL);
  assert(pthread_setspecific(again, &called) == 0);
  assert(pthread_getspecific(again) == &called);
}

static void run_destructor(void) {
  pthread_key_create(&key, must_not_run);
  in_a_thread(create_again);
}

static pthread_barrier_t barrier;

static void* keep_value(void* argument) {
  pthread_setspecific(key, &key);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  assert(pthread_getspecific(again) == NULL);
  return argument;
}

static void run_other_thread(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_key_create(&key, NULL);
  pthread_create(&thread, NULL, keep_value, NULL);
  pthread_barrier_wait(&barrier);
  pthread_key_delete(key);
  pthread_key_create(&again, must_not_run);
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
  assert(called == 0);
}

MAIN(CASE(value), CASE(destructor), CASE(other_thread))
