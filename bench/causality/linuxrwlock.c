// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 3 threads (-DTHREADS=3): not counted
//
// The read-write lock of Linux as Yi and Huang search it (Maximal path causality, ESEC/FSE 2018): with a bias of
// 1, so that two writers or readers exclude each other. A thread tries TRIES times; each try is two updates under
// a mutex.
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef TRIES
#define TRIES 3
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int left = 1;
static int inside;

static int add(int share) {
  pthread_mutex_lock(&mutex);
  left += share;
  const int now = left;
  pthread_mutex_unlock(&mutex);
  return now;
}

static void* run(void* argument) {
  (void)argument;
  for (int i = 0; i < TRIES; ++i) {
    if (add(-1) >= 0) {
      assert(++inside == 1);
      --inside;
      add(1);
      return 0;
    }
    add(1);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  return 0;
}
