// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=1
//
// The handler of a fault is installed when the thread that relies on it may have had the fault already.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static sigjmp_buf out;
static char* volatile nowhere;

static void leave(int number) {
  (void)number;
  siglongjmp(out, 1);
}

static void* work(void* argument) {
  if (sigsetjmp(out, 1) == 0) nowhere[16] = 1;
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  struct sigaction action = {.sa_handler = leave};
  sigaction(SIGSEGV, &action, NULL);
  pthread_join(thread, NULL);
  return 0;
}
