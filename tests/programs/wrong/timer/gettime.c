// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// compilers: both
//
// Each thread sees by timer_gettime that the timer is not set, and sets it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static timer_t timer;
static atomic_int set;

static void* set_once(void* argument) {
  struct itimerspec left;
  timer_gettime(timer, &left);
  if (left.it_value.tv_sec != 0) return argument;
  struct itimerspec once = {{0, 0}, {5, 0}};
  timer_settime(timer, 0, &once, NULL);
  ++set;
  return argument;
}

int main(void) {
  struct sigevent silent = {.sigev_notify = SIGEV_NONE};
  timer_create(CLOCK_MONOTONIC, &silent, &timer);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, set_once, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(set == 1);
  return 0;
}
