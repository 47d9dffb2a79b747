// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
//
// Three threads join each other in a circle; main waits for something else.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_t threads[3];
static sem_t all_started;
static sem_t never;

static void* join_next(void* argument) {
  sem_wait(&all_started);
  pthread_join(threads[(*(const int*)argument + 1) % 3], NULL);
  return NULL;
}

int main(void) {
  const int numbers[3] = {0, 1, 2};
  sem_init(&all_started, 0, 0);
  sem_init(&never, 0, 0);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, join_next, (void*)&numbers[i]);
  for (int i = 0; i < 3; ++i) sem_post(&all_started);
  sem_wait(&never);
  return 0;
}
