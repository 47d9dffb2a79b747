// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=1
//
// Two mutexes, taken in opposite orders.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void* take_both(void* argument) {
  const int first = *(const int*)argument;
  pthread_mutex_lock(&mutexes[first]);
  pthread_mutex_lock(&mutexes[1 - first]);
  pthread_mutex_unlock(&mutexes[1 - first]);
  pthread_mutex_unlock(&mutexes[first]);
  return NULL;
}

int main(void) {
  const int first[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take_both, (void*)&first[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
