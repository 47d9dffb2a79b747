// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: inconclusive
// reason: some inputs
// args: --require-exhausted
//
// Of an input of many values some are tried, each in all schedules.
extern void abort(void);
#include <assert.h>
#include <pthread.h>
void reach_error(void) { assert(0); }

extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned sum;

static void* add(void* amount) {
  pthread_mutex_lock(&mutex);
  sum += *(unsigned*)amount;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  unsigned a = (unsigned)__VERIFIER_nondet_int(), b = __VERIFIER_nondet_uint();
  pthread_t t1, t2;
  pthread_create(&t1, 0, add, &a);
  pthread_create(&t2, 0, add, &b);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  if (sum != a + b) reach_error();
  return 0;
}
