// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock
//
// The cleanup handler is popped before the cancellation point, and so the mutex stays locked.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void unlock(void* argument) { pthread_mutex_unlock(argument); }

static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  pthread_cleanup_pop(0);
  sleep(1);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}
