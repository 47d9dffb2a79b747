// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread leaves its polling loop, wakes another one and joins it.
#include <pthread.h>
#include <semaphore.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int done;
sem_t s;
void* b(void* x) {
  pthread_mutex_lock(&m);
  done = 1;
  pthread_mutex_unlock(&m);
  sem_wait(&s);
  return 0;
}
int main() {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, b, 0);
  for (;;) {
    pthread_mutex_lock(&m);
    int d = done;
    pthread_mutex_unlock(&m);
    if (d) break;
  }
  sem_post(&s);
  pthread_join(t, 0);
  return 0;
}
