// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: both
//
// getitimer gives what is left of the time, and nothing once the timer has rung or was switched off.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>

static atomic_int rang;

static void ring(int number) {
  assert(number == SIGALRM);
  rang = 1;
}

static int runs(void) {
  struct itimerval left = {{7, 7}, {7, 7}};
  assert(getitimer(ITIMER_REAL, &left) == 0);
  assert(left.it_interval.tv_sec == 0 && left.it_interval.tv_usec == 0);
  assert(left.it_value.tv_sec < 5 || (left.it_value.tv_sec == 5 && left.it_value.tv_usec == 0));
  return left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0;
}

int main(void) {
  assert(!runs());
  signal(SIGALRM, ring);
  struct itimerval once = {{0, 0}, {5, 0}};
  assert(setitimer(ITIMER_REAL, &once, NULL) == 0);
  int before = rang;
  if (runs()) assert(!before);
  struct itimerval never = {{0, 0}, {0, 0}};
  assert(setitimer(ITIMER_REAL, &never, NULL) == 0);
  assert(!runs());
  return 0;
}
