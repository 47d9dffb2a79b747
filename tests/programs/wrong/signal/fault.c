// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=0
//
// With SA_RESETHAND the handler sees one fault; when it returns, the same instruction faults again.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static char* volatile nowhere;

static void handle(int number) { (void)number; }

static void* work(void* argument) {
  nowhere[16] = 1;
  return argument;
}

int main(void) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESETHAND};
  sigaction(SIGSEGV, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
