// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// The cancel comes before the thread has disabled it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int done;

static void* work(void* argument) {
  usleep(1);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  usleep(1);
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
