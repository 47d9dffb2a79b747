// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug lock-misuse preemptions=0
//
// raise runs the handler at once, here with the mutex held that it locks.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void handle(int number) {
  (void)number;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  raise(SIGUSR1);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
