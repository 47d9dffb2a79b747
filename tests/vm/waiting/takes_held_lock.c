// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread polls under a lock that another one holds for long.
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
atomic_int f;
void* a(void* p) {
  for (;;) {
    pthread_mutex_lock(&m);
    int d = x;
    pthread_mutex_unlock(&m);
    if (d) return 0;
  }
}
void* b(void* p) {
  pthread_mutex_lock(&m);
  x = 1;
  while (!atomic_load(&f)) {
  }
  pthread_mutex_unlock(&m);
  return 0;
}
void* d(void* p) {
  atomic_store(&f, 1);
  return 0;
}
int main() {
  pthread_t s, t, u;
  pthread_create(&s, 0, a, 0);
  pthread_create(&t, 0, b, 0);
  pthread_create(&u, 0, d, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
