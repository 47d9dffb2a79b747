// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// A timer may expire before timer_settime's caller has stored what the handler needs.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static atomic_int ready;

static void ring(int number) {
  (void)number;
  assert(ready);
}

int main(void) {
  signal(SIGUSR1, ring);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_create(CLOCK_REALTIME, &event, &timer);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  struct itimerspec once = {{0, 0}, {now.tv_sec + 5, 0}};
  timer_settime(timer, TIMER_ABSTIME, &once, NULL);
  ready = 1;
  timer_delete(timer);
  return 0;
}
