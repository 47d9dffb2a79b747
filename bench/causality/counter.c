// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 8 threads (-DTHREADS=8): not counted
//
// A counter under a lock: the orders of n threads are n! classes, while each of them reads one of n values.
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 5
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* add(void* argument) {
  (void)argument;
  pthread_mutex_lock(&mutex);
  ++count;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  assert(count == THREADS);
  return 0;
}
