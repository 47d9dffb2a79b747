// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A periodic timer whose signal one thread waits for, with its overruns; deleted, it sends no more.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  event.sigev_value.sival_int = 42;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  struct itimerspec left;
  assert(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
  struct itimerspec every = {{0, 1000000}, {0, 1000000}};
  assert(timer_settime(timer, 0, &every, NULL) == 0);
  for (int i = 0; i < 3; ++i) {
    siginfo_t info;
    assert(sigwaitinfo(&set, &info) == SIGRTMIN);
    assert(info.si_code == SI_TIMER && info.si_value.sival_int == 42);
  }
  struct itimerspec never = {{0, 0}, {0, 0}};
  assert(timer_settime(timer, 0, &never, &left) == 0);
  assert(left.it_interval.tv_nsec == 1000000);
  siginfo_t info;
  struct timespec second = {1, 0};
  while (sigtimedwait(&set, &info, &second) == SIGRTMIN) {
  }
  assert(errno == EAGAIN);
  assert(timer_delete(timer) == 0);
  assert(timer_settime(timer, 0, &every, NULL) == -1 && errno == EINVAL);
  return 0;
}
