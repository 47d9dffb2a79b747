// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 5 threads (-DTHREADS=5): not counted
//
// Threads that all say that they have found what was looked for: each stores the same value again and again. The
// stores come in many orders, which nobody can tell apart.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 4
#endif
#ifndef ROUNDS
#define ROUNDS 3
#endif

static atomic_int found;

static void* look(void* argument) {
  (void)argument;
  for (int i = 0; i < ROUNDS; ++i) found = 1;
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, look, 0);
  const int early = found;
  assert(early == 0 || early == 1);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  assert(found == 1);
  return 0;
}
