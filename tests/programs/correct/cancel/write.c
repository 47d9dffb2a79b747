// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// write is a cancellation point: the thread ends before one of the two, or at its test behind them.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int written;

static void* work(void* argument) {
  for (int i = 0; i < 2; ++i) {
    if (write(1, ".", 1) == 1) ++written;
  }
  for (;;) pthread_testcancel();
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_cancel(thread);
  void* result;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  assert(written >= 0 && written <= 2);
  return 0;
}
