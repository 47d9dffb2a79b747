// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// pthread_kill: its thread handles the signal at any point, but no other thread does, and before it ends.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_t worker;
static atomic_int handled;
static atomic_int steps;
static atomic_int sent;

static void handle(int number) {
  assert(number == SIGUSR1);
  assert(pthread_equal(pthread_self(), worker));
  handled = steps + 1;
}

static void* work(void* argument) {
  worker = pthread_self();
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  steps = 1;
  steps = 2;
  while (!sent) {
  }
  return argument;
}

int main(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  assert(pthread_kill(thread, 0) == 0);
  assert(pthread_kill(thread, SIGUSR1) == 0);
  sent = 1;
  pthread_join(thread, NULL);
  assert(handled >= 1 && handled <= 3);
  return 0;
}
