// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug lock-misuse
// compilers: both
//
// The handler leaves by siglongjmp what it interrupted, with the mutex locked.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local sigjmp_buf out;

static void handle(int number) { siglongjmp(out, number); }

static void* work(void* argument) {
  if (sigsetjmp(out, 1) == 0) {
    sigset_t set;
    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
  }
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
