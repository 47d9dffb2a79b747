// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// sigtimedwait may run out before the signal comes.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static void* take(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  struct timespec long_time = {5, 0};
  assert(sigtimedwait(&set, NULL, &long_time) == SIGUSR1);
  return argument;
}

int main(void) {
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, take, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
