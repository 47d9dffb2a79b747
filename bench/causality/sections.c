// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 5 threads (-DTHREADS=5): not counted
//
// Sections under a lock that leave everything as it was: in each order each thread reads the same.
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 4
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void* enter(void* argument) {
  (void)argument;
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&mutex);
    ++inside;
    assert(inside == 1);
    --inside;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, enter, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  assert(inside == 0);
  return 0;
}
