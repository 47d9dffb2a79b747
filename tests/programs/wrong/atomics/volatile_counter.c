// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug data-race
//
// A volatile counter is no atomic counter.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int counter;

static void* count(void* argument) {
  counter = counter + 1;
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(counter == 2);
  return 0;
}
