// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// Only who sees the counter between the two writes of a round lets the loop end: the round may not be left out.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter, flag;

static void* look(void* unused) {
  if (atomic_load(&counter) == 1) atomic_store(&flag, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  for (int i = 0; i < 3 && atomic_load(&flag) == 0; i++) {
    atomic_fetch_add(&counter, 1);
    atomic_fetch_sub(&counter, 1);
  }
  assert(atomic_load(&flag) == 0);
  pthread_join(thread, NULL);
  return 0;
}
