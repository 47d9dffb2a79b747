// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A block that only some schedules make, and that a variable still holds at the end, is not lost.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int turn;
int* kept;

static void* make(void* unused) {
  if (atomic_exchange(&turn, 1) == 0) kept = malloc(sizeof(int));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, make, NULL);
  atomic_exchange(&turn, 1);
  pthread_join(thread, NULL);
  return 0;
}
