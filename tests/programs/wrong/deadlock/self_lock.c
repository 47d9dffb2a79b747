// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug lock-misuse preemptions=0
//
// A thread locks a normal mutex twice.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* lock_twice(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, lock_twice, NULL);
  pthread_join(thread, NULL);
  return 0;
}
