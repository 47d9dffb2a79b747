// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug livelock
//
// A round of two attempts, which may begin at either.
#include <pthread.h>
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
int stop;
void* a(void* x) {
  for (;;) {
    if (pthread_mutex_trylock(&l) == 0) pthread_mutex_unlock(&l);
    pthread_mutex_lock(&m);
    int d = stop;
    pthread_mutex_unlock(&m);
    if (d) return 0;
  }
}
int main() {
  pthread_t s;
  pthread_create(&s, 0, a, 0);
  pthread_join(s, 0);
  return 0;
}
