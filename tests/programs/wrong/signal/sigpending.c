// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=1
// compilers: both
//
// Both threads see by sigpending that the signal is there; the second to take it waits for ever.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void* take_if_there(void* argument) {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  if (!sigismember(&pending, SIGUSR1)) return argument;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  int number;
  sigwait(&set, &number);
  return argument;
}

int main(void) {
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGUSR1);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take_if_there, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
