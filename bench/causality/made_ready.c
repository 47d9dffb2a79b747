// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 5 threads (-DTHREADS=5): not counted
//
// What is needed is made ready by whoever comes first, or by several at once: all write the same.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 4
#endif

static atomic_int is_ready;
static atomic_int settings[2];

static void* use(void* argument) {
  (void)argument;
  if (!is_ready) {
    settings[0] = 40;
    settings[1] = 2;
    is_ready = 1;
  }
  assert(settings[0] + settings[1] == 42);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, use, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  return 0;
}
