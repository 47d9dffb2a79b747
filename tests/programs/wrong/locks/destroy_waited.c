// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// args: --races ignore
// case barrier: bug lock-misuse preemptions=1
// case semaphore: bug lock-misuse preemptions=1
//
// What a thread waits at is destroyed. Where that comes before the wait it is a race, which is not looked for
// here.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int uses_barrier;

static void* other(void* argument) {
  if (uses_barrier) {
    pthread_barrier_wait(&barrier);
  } else {
    sem_wait(&semaphore);
    sem_wait(&semaphore);
  }
  return argument;
}

int main(int count, char** arguments) {
  uses_barrier = count > 1 && strcmp(arguments[1], "barrier") == 0;
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 1);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_mutex_lock(&mutex);  // the other may go first
  pthread_mutex_unlock(&mutex);
  if (uses_barrier) {
    pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, NULL, 1);
  } else {
    sem_destroy(&semaphore);
    sem_init(&semaphore, 0, 2);
  }
  pthread_join(thread, NULL);
  return 0;
}
