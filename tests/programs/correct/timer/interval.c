// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=4
//
// setitimer every millisecond: the handler runs as often as main waits for, and no more once it is switched
// off.
// Only within a bound: the timer may expire any number of times.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int ticks;

static void tick(int number) {
  assert(number == SIGALRM);
  atomic_fetch_add(&ticks, 1);
}

int main(void) {
  signal(SIGALRM, tick);
  struct itimerval every = {{0, 1000}, {0, 1000}};
  assert(setitimer(ITIMER_REAL, &every, NULL) == 0);
  while (ticks < 2) pause();
  struct itimerval never = {{0, 0}, {0, 0}};
  struct itimerval old;
  assert(setitimer(ITIMER_REAL, &never, &old) == 0);
  assert(old.it_interval.tv_usec == 1000);
  assert(getitimer(ITIMER_REAL, &old) == 0 && old.it_value.tv_sec == 0 && old.it_value.tv_usec == 0);
  int before = ticks;
  sleep(1);
  assert(ticks <= before + 1);  // one may have been on its way
  return 0;
}
