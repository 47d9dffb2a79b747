// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Peterson's algorithm, with assumptions in place of waiting.
extern void abort(void);
#include <assert.h>
#include <pthread.h>
void reach_error(void) { assert(0); }

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static _Atomic int flag0, flag1, turn;
static int inside;

static void* first(void* argument) {
  flag0 = 1;
  turn = 1;
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(flag1 == 0 || turn == 0);
  __VERIFIER_atomic_end();
  if (++inside != 1) reach_error();
  --inside;
  flag0 = 0;
  return argument;
}
static void* second(void* argument) {
  flag1 = 1;
  turn = 0;
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(flag0 == 0 || turn == 1);
  __VERIFIER_atomic_end();
  if (++inside != 1) reach_error();
  --inside;
  flag1 = 0;
  return argument;
}

int main(void) {
  pthread_t t1, t2;
  pthread_create(&t1, 0, first, 0);
  pthread_create(&t2, 0, second, 0);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  return 0;
}
