// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 2
//
// The names that verification tools share: two atomic sections, C(2, 1) = 2.
#include <pthread.h>
#include <stddef.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_assert(int condition);

static _Atomic int counter;

static void* increment(void* argument) {
  __VERIFIER_atomic_begin();
  int old = counter;
  __VERIFIER_assume(old >= 0);
  counter = old + 1;
  __VERIFIER_atomic_end();
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, increment, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  __VERIFIER_assert(counter == 2);
  return 0;
}
