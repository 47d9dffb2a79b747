// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// The right way to wait for a handler: the signal is blocked but in sigsuspend.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile sig_atomic_t arrived;

static void handle(int number) {
  (void)number;
  arrived = 1;
}

static void* wait_for_it(void* argument) {
  sigset_t none;
  sigemptyset(&none);
  while (!arrived) assert(sigsuspend(&none) == -1 && errno == EINTR);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  assert(sigismember(&mask, SIGUSR1));
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_it, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
