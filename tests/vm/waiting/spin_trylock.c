// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug livelock
//
// A spin lock is tried for ever; what lies beside it is not zero.
#include <pthread.h>
struct {
  pthread_spinlock_t l;
  int next[10];
} g = {0, {7}};
void* a(void* x) {
  for (;;) {
    if (pthread_spin_trylock(&g.l) == 0) pthread_spin_unlock(&g.l);
  }
}
int main() {
  pthread_t s;
  pthread_spin_init(&g.l, 0);
  pthread_create(&s, 0, a, 0);
  pthread_join(s, 0);
  return 0;
}
