// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread polls under a lock until a time.
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int done;
static long now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}
void* b(void* x) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, b, 0);
  long end = now() + 1000000;
  while (now() < end) {
    pthread_mutex_lock(&m);
    int d = done;
    pthread_mutex_unlock(&m);
    if (d) break;
  }
  pthread_join(t, 0);
  return 0;
}
