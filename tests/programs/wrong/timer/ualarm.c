// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug lock-misuse preemptions=0
//
// ualarm's handler waits for a mutex that its thread holds while it sleeps.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void ring(int number) {
  (void)number;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  signal(SIGALRM, ring);
  pthread_mutex_lock(&mutex);
  ualarm(1000, 0);
  usleep(2000);
  pthread_mutex_unlock(&mutex);
  return 0;
}
