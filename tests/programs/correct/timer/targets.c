// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// plain: no
//
// SIGEV_THREAD_ID sends to one thread; SIGEV_NONE sends nothing, and can be asked for its time; missed
// expiries are counted.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static pthread_t worker;
static atomic_int handled;

static void handle(int number) {
  (void)number;
  assert(pthread_equal(pthread_self(), worker));
  handled = 1;
}

static void* work(void* argument) {
  worker = pthread_self();
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
  event._sigev_un._tid = gettid();
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  struct itimerspec once = {{0, 0}, {0, 1000}};
  assert(timer_settime(timer, 0, &once, NULL) == 0);
  while (!handled) {
  }
  return argument;
}

static void count_missed(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec every = {{1, 0}, {1, 0}};
  timer_settime(timer, 0, &every, NULL);
  sleep(10);
  siginfo_t info;
  sigwaitinfo(&set, &info);
  assert(info.si_overrun == timer_getoverrun(timer));
  assert(info.si_overrun <= 11);
  timer_delete(timer);

  struct sigevent silent = {.sigev_notify = SIGEV_NONE};
  timer_create(CLOCK_MONOTONIC, &silent, &timer);
  struct itimerspec once = {{0, 0}, {5, 0}};
  timer_settime(timer, 0, &once, NULL);
  struct itimerspec left;
  timer_gettime(timer, &left);
  assert(left.it_value.tv_sec == 5);
  sleep(2);
  timer_gettime(timer, &left);
  assert(left.it_value.tv_sec == 3);
  timer_delete(timer);
}

int main(void) {
  count_missed();
  signal(SIGUSR1, handle);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
