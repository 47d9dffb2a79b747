// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// Values sent with a standard signal are lost where one is pending already.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static int sum;

static void add(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  sum += info->si_value.sival_int;
}

static void* listen(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  return argument;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = add, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, listen, NULL);
  pthread_sigqueue(thread, SIGUSR1, (union sigval){.sival_int = 1});
  pthread_sigqueue(thread, SIGUSR1, (union sigval){.sival_int = 2});
  pthread_join(thread, NULL);
  assert(sum == 3);
  return 0;
}
