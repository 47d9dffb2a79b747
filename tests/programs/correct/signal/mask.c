// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A blocked signal waits, also its thread's, and comes when it is unblocked, before the call returns. New
// threads block what their makers do.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int handled;
static atomic_int sent;

static void handle(int number) {
  (void)number;
  handled = 1;
}

static void* work(void* argument) {
  sigset_t set;
  pthread_sigmask(SIG_SETMASK, NULL, &set);
  assert(sigismember(&set, SIGUSR1));
  while (!sent) {
  }
  sigset_t pending;
  assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
  assert(!handled);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  assert(handled);
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  assert(pthread_sigqueue(thread, SIGUSR1, (union sigval){.sival_int = 1}) == 0);
  sent = 1;
  pthread_join(thread, NULL);
  return 0;
}
