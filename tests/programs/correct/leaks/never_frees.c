// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Loses blocks in some schedules, and frees them in none: without --leaks that is no bug.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int*) last;

static void* replace(void* unused) {
  atomic_store(&last, malloc(sizeof(int)));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, replace, NULL);
  replace(NULL);
  pthread_join(thread, NULL);
  return 0;
}
