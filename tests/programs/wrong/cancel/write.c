// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock
//
// A thread that logs with the mutex held is cancelled there.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  if (write(1, ".", 1) != 1) return NULL;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&mutex);
  return 0;
}
