// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// case alone: exhausted
// case threads: exhausted
//
// A semaphore holds SEM_VALUE_MAX at most.
#define _GNU_SOURCE
#include <limits.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "../../cases.h"

static sem_t semaphore;
static atomic_int failed;

static int value(void) {
  int result;
  sem_getvalue(&semaphore, &result);
  return result;
}

static void run_alone(void) {
  assert(sem_init(&semaphore, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
  assert(sem_init(&semaphore, 0, SEM_VALUE_MAX) == 0);
  assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
  assert(value() == SEM_VALUE_MAX);
  assert(sem_trywait(&semaphore) == 0);
  assert(sem_post(&semaphore) == 0);
  assert(value() == SEM_VALUE_MAX);
}

static void* post(void* argument) {
  if (sem_post(&semaphore) != 0) {
    assert(errno == EOVERFLOW);
    atomic_fetch_add(&failed, 1);
  }
  return argument;
}

static void run_threads(void) {
  assert(sem_init(&semaphore, 0, SEM_VALUE_MAX - 1) == 0);
  run_two(post, post);
  assert(failed == 1 && value() == SEM_VALUE_MAX);
}

MAIN(CASE(alone), CASE(threads))
