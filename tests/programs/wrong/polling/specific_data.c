// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// case key: bug assertion
// case c11: bug assertion
//
// A loop that waits gives up after some rounds, which only its thread-specific data count.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>
#include <threads.h>

#include "../../cases.h"

static atomic_int flag;
static atomic_int gave_up;

static void* answer(void* argument) {
  assert(!atomic_load(&gave_up));  // reported
  atomic_store(&flag, 1);
  return argument;
}

static void run_key(void) {
  pthread_key_t key;
  pthread_t thread;
  pthread_key_create(&key, NULL);
  pthread_create(&thread, NULL, answer, NULL);
  while (!atomic_load(&flag)) {
    pthread_setspecific(key, (void*)((uintptr_t)pthread_getspecific(key) + 1));
    if ((uintptr_t)pthread_getspecific(key) > 2) {
      atomic_store(&gave_up, 1);
      break;
    }
  }
  pthread_join(thread, NULL);
}

static void run_c11(void) {
  tss_t key;
  pthread_t thread;
  tss_create(&key, NULL);
  pthread_create(&thread, NULL, answer, NULL);
  while (!atomic_load(&flag)) {
    tss_set(key, (void*)((uintptr_t)tss_get(key) + 1));
    if ((uintptr_t)tss_get(key) > 2) {
      atomic_store(&gave_up, 1);
      break;
    }
  }
  pthread_join(thread, NULL);
}

MAIN(CASE(key), CASE(c11))
