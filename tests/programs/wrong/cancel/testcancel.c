// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// The thread is cancelled at its test before it has said that it is done.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int done;

static void* work(void* argument) {
  pthread_testcancel();
  done = 1;
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  assert(done);
  return 0;
}
