// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 5 threads (-DTHREADS=5): not counted
//
// Workers look before each piece of work whether they are to stop, and tell all to stop when a piece has failed,
// as every second one does.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 4
#endif
#ifndef PIECES
#define PIECES 3
#endif

static atomic_int stops;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int failed;  // whether a piece has

static void* work(void* argument) {
  (void)argument;
  for (int piece = 0; piece < PIECES && !stops; ++piece) {
    if (piece % 2 == 0) continue;
    pthread_mutex_lock(&mutex);
    failed = 1;
    pthread_mutex_unlock(&mutex);
    stops = 1;
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  assert(failed == stops);
  return 0;
}
