// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// The signal is blocked too late: it may have come before.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int handled;

static void handle(int number) {
  (void)number;
  handled = 1;
}

static void* work(void* argument) {
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  assert(!handled);
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
