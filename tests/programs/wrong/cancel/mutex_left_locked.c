// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock
//
// A thread that is cancelled in a condition wait has the mutex again, and without a cleanup handler keeps it.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void* wait_condition(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_condition, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}
