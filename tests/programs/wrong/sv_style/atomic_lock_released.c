// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// A lock made of functions that are atomic by their name; one thread gives it up too early.
extern void abort(void);
#include <assert.h>
#include <pthread.h>
void reach_error(void) { assert(0); }

extern void __VERIFIER_assume(int);

static int lock;
static int inside;

void __VERIFIER_atomic_acquire(void) {
  __VERIFIER_assume(lock == 0);
  lock = 1;
}
void __VERIFIER_atomic_release(void) { lock = 0; }
int __VERIFIER_atomic_enter(void) { return ++inside; }
void __VERIFIER_atomic_leave(void) { --inside; }

static void* worker(void* early) {
  __VERIFIER_atomic_acquire();
  if (early) __VERIFIER_atomic_release();
  if (__VERIFIER_atomic_enter() != 1) reach_error();
  __VERIFIER_atomic_leave();
  if (!early) __VERIFIER_atomic_release();
  return 0;
}

int main(void) {
  pthread_t t1, t2;
  pthread_create(&t1, 0, worker, &lock);
  pthread_create(&t2, 0, worker, 0);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  return 0;
}
