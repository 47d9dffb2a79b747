// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug data-race
//
// sem_wait that a handler ends has taken nothing; this program does not look.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t semaphore;
static int inside;

static void handle(int number) { (void)number; }

static void* work(void* argument) {
  sem_wait(&semaphore);
  assert(inside++ == 0);
  sem_wait(&semaphore);
  --inside;
  return argument;
}

int main(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&semaphore, 0, 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  sem_post(&semaphore);
  pthread_kill(threads[1], SIGUSR1);
  for (int i = 0; i < 3; ++i) sem_post(&semaphore);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
