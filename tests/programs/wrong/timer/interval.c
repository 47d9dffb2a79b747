// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
// args: --bound preemptions=2
//
// setitimer goes on: the handler may run again before main has looked.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>

static atomic_int ticks;

static void tick(int number) {
  (void)number;
  atomic_fetch_add(&ticks, 1);
}

int main(void) {
  signal(SIGALRM, tick);
  struct itimerval every = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &every, NULL);
  while (!ticks) {
  }
  assert(ticks == 1);
  return 0;
}
