// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// Which thread handles a signal of the process's is open; this program takes it for granted.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static pthread_t expected;
static atomic_int handled;

static void handle(int number) {
  (void)number;
  assert(pthread_equal(pthread_self(), expected));
  handled = 1;
}

static void* listen(void* argument) {
  while (!handled) {
  }
  return argument;
}

int main(void) {
  expected = pthread_self();
  signal(SIGUSR2, handle);
  pthread_t thread;
  pthread_create(&thread, NULL, listen, NULL);
  kill(getpid(), SIGUSR2);
  while (!handled) {
  }
  pthread_join(thread, NULL);
  return 0;
}
