// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
//
// A standard signal that is pending already is not queued again: two are sent, one may arrive.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;

static void* take(void* argument) {
  int number;
  sigwait(&set, &number);
  sigwait(&set, &number);
  return argument;
}

int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, take, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
