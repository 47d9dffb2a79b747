// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// compilers: both
//
// getitimer says that there is time left; it may be over before that is used.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>

static atomic_int rang;

static void ring(int number) {
  (void)number;
  rang = 1;
}

int main(void) {
  signal(SIGALRM, ring);
  struct itimerval once = {{0, 0}, {5, 0}};
  setitimer(ITIMER_REAL, &once, NULL);
  struct itimerval left = {{0, 0}, {0, 0}};
  getitimer(ITIMER_REAL, &left);
  if (left.it_value.tv_sec != 0) assert(!rang);
  return 0;
}
