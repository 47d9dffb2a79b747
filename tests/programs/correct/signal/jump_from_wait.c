// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: both
//
// A thread that has left a futex wait by siglongjmp is no waiter any more: the wake-up is for its next wait.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static atomic_int jumped;
static sigjmp_buf out;

static void handle(int number) { siglongjmp(out, number); }

static void* work(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  if (sigsetjmp(out, 1) == 0) {
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    for (;;) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
  }
  jumped = 1;
  while (!word) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  while (!jumped) {
  }
  word = 1;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
  pthread_join(thread, NULL);
  return 0;
}
