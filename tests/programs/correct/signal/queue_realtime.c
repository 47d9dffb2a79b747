// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Real-time signals are queued, with their values, and arrive in the order of their numbers and of sending.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void* take(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < 2; ++i) sigaddset(&set, SIGRTMIN + i);
  int last = 0;
  for (int i = 0; i < 3; ++i) {
    siginfo_t info;
    assert(sigwaitinfo(&set, &info) > 0);
    if (info.si_signo == SIGRTMIN + 1) assert(info.si_code == SI_QUEUE && info.si_value.sival_int == 7);
    if (info.si_signo == SIGRTMIN) {
      assert(info.si_value.sival_int == last + 1);
      last = info.si_value.sival_int;
    }
  }
  assert(last == 2);
  return argument;
}

int main(void) {
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, take, NULL);
  sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 7});
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1});
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 2});
  pthread_join(thread, NULL);
  return 0;
}
