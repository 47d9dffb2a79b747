// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// siginterrupt makes the waits that restarted end with EINTR.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t semaphore;

static void handle(int number) { (void)number; }

static void* work(void* argument) {
  assert(sem_wait(&semaphore) == 0);
  return argument;
}

int main(void) {
  signal(SIGUSR1, handle);  // with SA_RESTART
  siginterrupt(SIGUSR1, 1);
  sem_init(&semaphore, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  sem_post(&semaphore);
  pthread_join(thread, NULL);
  return 0;
}
