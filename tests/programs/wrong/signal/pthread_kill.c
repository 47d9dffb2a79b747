// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// The handler of a signal that another thread sends runs between the two halves of an update.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int first;
static atomic_int second;

static void handle(int number) {
  (void)number;
  assert(first == second);
}

static void* work(void* argument) {
  first = 1;
  second = 1;
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
