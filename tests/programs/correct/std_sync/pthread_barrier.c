// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A pthread barrier: nobody passes before all have come, and one of them is told that it is the
// serial one.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static atomic_int arrived;
static atomic_int serial;

static void* work(void* argument) {
  atomic_fetch_add(&arrived, 1);
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) atomic_fetch_add(&serial, 1);
  assert(atomic_load(&arrived) == 2);
  return argument;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(serial == 1);
  pthread_barrier_destroy(&barrier);
  return 0;
}
