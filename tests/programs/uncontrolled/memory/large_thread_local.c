// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: inconclusive
// reason: bytes, and threads have room for
//
// More thread-local storage than a thread's stack holds.
#include <pthread.h>
#include <stddef.h>

static _Thread_local char large[9000000];

static void* work(void* argument) {
  large[0] = 1;
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return large[0];
}
