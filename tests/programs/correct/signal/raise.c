// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// raise: the handler has run when it returns, in threads too, and before there are any.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int handled;

static void handle(int number) {
  assert(number == SIGUSR1);
  atomic_fetch_add(&handled, 1);
}

static void* work(void* argument) {
  int before = handled;
  assert(raise(SIGUSR1) == 0);
  assert(handled > before);
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  assert(handled == 1);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(handled == 3);
  return 0;
}
