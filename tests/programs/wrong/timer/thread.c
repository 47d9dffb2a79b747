// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// The thread of a SIGEV_THREAD timer comes between reading the counter and writing it.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static atomic_int count;
static atomic_int called;

static void call(union sigval value) {
  (void)value;
  count = count + 1;
  called = 1;
}

int main(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = call};
  timer_create(CLOCK_REALTIME, &event, &timer);
  struct itimerspec once = {{0, 0}, {5, 0}};
  timer_settime(timer, 0, &once, NULL);
  count = count + 1;
  while (!called) {
  }
  assert(count == 2);
  return 0;
}
