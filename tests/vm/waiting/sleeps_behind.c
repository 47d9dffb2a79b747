// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread leaves its loop and sleeps.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
atomic_int f;
void* a(void* x) {
  while (!atomic_load(&f)) {
  }
  usleep(1000);
  return 0;
}
void* b(void* x) {
  atomic_store(&f, 1);
  return 0;
}
int main() {
  pthread_t s, t;
  pthread_create(&s, 0, a, 0);
  pthread_create(&t, 0, b, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
