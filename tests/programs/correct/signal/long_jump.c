// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// siglongjmp out of a handler, which interrupts a wait; the mask is as it was at sigsetjmp.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static sem_t never;
static sem_t begun;
static _Thread_local sigjmp_buf out;

static void handle(int number) { siglongjmp(out, number); }

static void* work(void* argument) {
  for (int i = 0; i < 2; ++i) {
    int number = sigsetjmp(out, 1);
    if (number == 0) {
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, SIGUSR1);
      sem_post(&begun);
      pthread_sigmask(SIG_UNBLOCK, &set, NULL);
      sem_wait(&never);
      assert(0);
    }
    assert(number == SIGUSR1);
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    assert(sigismember(&set, SIGUSR1));
  }
  return argument;
}

int main(void) {
  sem_init(&never, 0, 0);
  sem_init(&begun, 0, 0);
  signal(SIGUSR1, handle);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  for (int i = 0; i < 2; ++i) {
    sem_wait(&begun);
    pthread_kill(thread, SIGUSR1);
  }
  pthread_join(thread, NULL);
  return 0;
}
