// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// compilers: both
//
// The thread tells its id before it is ready for what tgkill sends it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static pid_t id;
static atomic_int told;
static atomic_int ready;

static void handle(int number) {
  (void)number;
  assert(ready);
}

static void* work(void* argument) {
  id = gettid();
  told = 1;
  ready = 1;
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  while (!told) {
  }
  tgkill(getpid(), id, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
