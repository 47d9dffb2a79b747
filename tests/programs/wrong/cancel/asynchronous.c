// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// A thread that may be cancelled anywhere is, between the two halves of an update.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int first;
static atomic_int second;

static void* work(void* argument) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  first = 1;
  second = 1;
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  assert(first == second);
  return 0;
}
