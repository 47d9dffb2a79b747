// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void* increment(void* argument) {
  counter = counter + 1;
  return argument;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, increment, 0);
  increment(0);
  pthread_join(other, 0);
  assert(counter == 2);
  return 0;
}
