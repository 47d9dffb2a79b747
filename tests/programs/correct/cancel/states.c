// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A disabled cancel waits until it is enabled; an asynchronous one needs no cancellation point.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int reached;
static atomic_int forever;

static void* protect(void* argument) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  assert(old == PTHREAD_CANCEL_ENABLE);
  reached = 1;
  usleep(10);
  pthread_testcancel();
  reached = 2;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  assert(old == PTHREAD_CANCEL_DISABLE);
  for (;;) pthread_testcancel();
  return argument;
}

static void* run_on(void* argument) {
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  assert(old == PTHREAD_CANCEL_DEFERRED);
  while (!forever) {
  }
  return argument;
}

int main(void) {
  pthread_t thread;
  void* result;
  pthread_create(&thread, NULL, protect, NULL);
  while (!reached) {
  }
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && reached == 2);

  pthread_create(&thread, NULL, run_on, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  return 0;
}
