// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// sigwait in a thread of its own, the usual way: every thread blocks the signals, one takes them.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void* take(void* result) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  int number;
  assert(sigwait(&set, &number) == 0);
  *(int*)result |= number == SIGTERM ? 1 : 2;
  siginfo_t info;
  assert(sigwaitinfo(&set, &info) == info.si_signo);
  assert(info.si_pid == getpid());
  *(int*)result |= info.si_signo == SIGTERM ? 1 : 2;
  struct timespec no_time = {0, 0};
  assert(sigtimedwait(&set, &info, &no_time) == -1);
  return NULL;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  int taken = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, take, &taken);
  kill(getpid(), SIGTERM);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  assert(taken == 3);
  return 0;
}
