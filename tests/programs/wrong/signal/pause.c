// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=2
//
// The signal arrives between the look at the flag and pause(), which then waits for ever.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t arrived;

static void handle(int number) {
  (void)number;
  arrived = 1;
}

static void* wait_for_it(void* argument) {
  if (!arrived) pause();
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_it, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
