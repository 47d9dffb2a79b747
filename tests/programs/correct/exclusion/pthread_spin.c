// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// POSIX spin locks.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t spin;
static int inside;

static void* enter(void* argument) {
  pthread_spin_lock(&spin);
  ++inside;
  assert(inside == 1);
  --inside;
  pthread_spin_unlock(&spin);
  return argument;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, enter, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_spin_destroy(&spin);
  return 0;
}
