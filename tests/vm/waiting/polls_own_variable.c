// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// main polls a variable of its own, which another thread sets.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct S {
  pthread_mutex_t m;
  int done;
};
atomic_int z;
void* b(void* x) {
  struct S* s = x;
  pthread_mutex_lock(&s->m);
  s->done = 1;
  pthread_mutex_unlock(&s->m);
  atomic_store(&z, 1);
  return 0;
}
int main() {
  struct S s = {PTHREAD_MUTEX_INITIALIZER, 0};
  pthread_t t;
  pthread_create(&t, 0, b, &s);
  for (;;) {
    pthread_mutex_lock(&s.m);
    int d = s.done;
    pthread_mutex_unlock(&s.m);
    if (d) break;
  }
  assert(atomic_load(&z) == 1);
  pthread_join(t, 0);
  return 0;
}
