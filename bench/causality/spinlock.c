// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 3 threads (-DTHREADS=3): not counted
//
// A spin lock as Yi and Huang search it (Maximal path causality, ESEC/FSE 2018): a thread tries TRIES times to
// take it, each time under a mutex, and gives it back without.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef TRIES
#define TRIES 3
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;
static int count;  // by who holds the lock

static int try_lock(void) {
  pthread_mutex_lock(&mutex);
  const int is_free = held == 0;
  if (is_free) held = 1;
  pthread_mutex_unlock(&mutex);
  return is_free;
}

static void* run(void* argument) {
  (void)argument;
  for (int i = 0; i < TRIES; ++i) {
    if (!try_lock()) continue;
    ++count;
    assert(count == 1);
    --count;
    held = 0;
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  return 0;
}
