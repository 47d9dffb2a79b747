// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A loop that waits for a flag or a time, beside one that polls under a lock.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int done;
atomic_int f;
static long now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}
void* b(void* x) {
  for (;;) {
    pthread_mutex_lock(&m);
    int d = done;
    pthread_mutex_unlock(&m);
    if (d) return 0;
  }
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, b, 0);
  long end = now() + 1000000;
  while (!atomic_load(&f) && now() < end) {
  }
  pthread_mutex_lock(&m);
  done = 1;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  return 0;
}
