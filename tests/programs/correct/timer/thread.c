// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// SIGEV_THREAD: the function runs in a thread of its own.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sem_t called;
static pthread_t main_thread;

static void call(union sigval value) {
  assert(!pthread_equal(pthread_self(), main_thread));
  assert(value.sival_int == 5);
  sem_post(&called);
}

int main(void) {
  main_thread = pthread_self();
  sem_init(&called, 0, 0);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = call};
  event.sigev_value.sival_int = 5;
  assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  struct itimerspec once = {{0, 0}, {5, 0}};
  assert(timer_settime(timer, 0, &once, NULL) == 0);
  sem_wait(&called);
  assert(timer_getoverrun(timer) == 0);
  timer_delete(timer);
  return 0;
}
