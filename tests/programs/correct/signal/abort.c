// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A handler of SIGABRT runs before the end, and may leave it by a long jump. gettid and tgkill name threads.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static sigjmp_buf out;

static void handle(int number) {
  assert(number == SIGABRT);
  siglongjmp(out, 1);
}

static int handled;

static void count(int number) {
  (void)number;
  ++handled;
}

static void* work(void* argument) {
  assert(gettid() != getpid());
  assert(tgkill(getpid(), gettid(), SIGUSR1) == 0);
  assert(handled == 1);
  if (sigsetjmp(out, 1) == 0) abort();
  return argument;
}

int main(void) {
  signal(SIGABRT, handle);
  signal(SIGUSR1, count);
  assert(gettid() == getpid());
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
