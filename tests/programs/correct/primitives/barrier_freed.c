// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Who leaves the barrier first may destroy and free it: the others are on their way out.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t* barrier;

static void* meet(void* argument) {
  if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
    pthread_barrier_destroy(barrier);
    free(barrier);
  }
  return argument;
}

int main(void) {
  barrier = malloc(sizeof *barrier);
  pthread_barrier_init(barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, meet, NULL);
  meet(NULL);
  pthread_join(thread, NULL);
  return 0;
}
