// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// In the style of the benchmarks of software verification: the program defines reach_error itself.
extern void abort(void);
#include <assert.h>
#include <pthread.h>
void reach_error(void) { assert(0); }

static _Atomic int shared;

static void* worker(void* argument) {
  int local = shared;
  shared = local + 1;
  return argument;
}

int main(void) {
  pthread_t t1, t2;
  pthread_create(&t1, 0, worker, 0);
  pthread_create(&t2, 0, worker, 0);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  if (shared != 2) {
  ERROR: {
    reach_error();
    abort();
  }
  }
  return 0;
}
