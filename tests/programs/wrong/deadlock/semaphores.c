// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
//
// Each of two threads waits for the semaphore that the other would post.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t semaphores[2];

static void* wait_then_post(void* argument) {
  const int mine = *(const int*)argument;
  sem_wait(&semaphores[mine]);
  sem_post(&semaphores[1 - mine]);
  return NULL;
}

int main(void) {
  const int mine[2] = {0, 1};
  for (int i = 0; i < 2; ++i) sem_init(&semaphores[i], 0, 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, wait_then_post, (void*)&mine[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
