// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=0
//
// A handler of SIGABRT that returns does not prevent the end.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

static void handle(int number) { (void)number; }

static void* work(void* argument) {
  abort();
  return argument;
}

int main(void) {
  signal(SIGABRT, handle);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
