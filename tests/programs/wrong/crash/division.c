// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=0
//
// Division by a number that another thread has not set yet.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int divisor;
static atomic_int result;

static void* divide(void* argument) {
  result = 100 / divisor;
  return argument;
}

static void* set(void* argument) {
  divisor = 5;
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, set, NULL);
  pthread_create(&threads[1], NULL, divide, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
