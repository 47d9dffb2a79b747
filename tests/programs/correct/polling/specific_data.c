// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// case counts: exhausted
// case counts_down: exhausted
// case comes_back: exhausted
//
// What a thread stores for a pthread key is part of the state of its loop.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>

#include "../../cases.h"

static atomic_int flag;
static pthread_key_t key;

static uintptr_t count(void) { return (uintptr_t)pthread_getspecific(key); }
static void set_count(uintptr_t to) { pthread_setspecific(key, (void*)to); }

static pthread_t begin(body* run) {
  pthread_t thread;
  pthread_key_create(&key, NULL);
  pthread_create(&thread, NULL, run, NULL);
  return thread;
}

static void* do_nothing(void* argument) { return argument; }
static void* set_flag(void* argument) {
  atomic_store(&flag, 1);
  return argument;
}

// Nobody sets the flag: the loop ends all the same, after some rounds.
static void run_counts(void) {
  pthread_t thread = begin(do_nothing);
  while (!atomic_load(&flag)) {
    set_count(count() + 1);
    if (count() > 4) break;
  }
  assert(count() == 5);
  pthread_join(thread, NULL);
}

static void run_counts_down(void) {
  atomic_store(&flag, 1);
  pthread_t thread = begin(set_flag);
  set_count(3);
  while (atomic_load(&flag)) {
    if (count() == 0) break;
    set_count(count() - 1);
  }
  assert(count() == 0);
  pthread_join(thread, NULL);
}

// Each round leaves it as it was: the loop only waits.
static void run_comes_back(void) {
  pthread_t thread = begin(set_flag);
  while (!atomic_load(&flag)) {
    set_count(count() + 1);
    set_count(count() - 1);
  }
  pthread_join(thread, NULL);
}

MAIN(CASE(counts), CASE(counts_down), CASE(comes_back))
