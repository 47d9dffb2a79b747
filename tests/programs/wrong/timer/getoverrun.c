// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
// args: --bound preemptions=2
// compilers: both
//
// timer_getoverrun tells of the timer's last signal, which another thread may have taken.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static timer_t timer;
static sigset_t set;

static void* take(void* argument) {
  siginfo_t info;
  sigwaitinfo(&set, &info);
  assert(info.si_overrun == timer_getoverrun(timer));
  return argument;
}

int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec every = {{1, 0}, {1, 0}};
  timer_settime(timer, 0, &every, NULL);
  sleep(5);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
