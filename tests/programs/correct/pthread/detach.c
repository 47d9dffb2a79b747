// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread that detaches itself and is waited for by a semaphore.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t done;
static int result;

static void* work(void* argument) {
  (void)argument;
  pthread_detach(pthread_self());
  result = 42;
  sem_post(&done);
  return NULL;
}

int main(void) {
  sem_init(&done, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  sem_wait(&done);
  assert(result == 42);
  return 0;
}
