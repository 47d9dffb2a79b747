// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Peterson's lock for several threads (the filter lock), taken and given back for ever. models/filter_lock.pml is
// the same for SPIN.
//   BUG 1   a thread does not look at the last level
//
// threads: 4
// states: 1869
// bug 1 (-DBUG=1): assertion, 2 preemptions
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef N
#define N 3
#endif

static atomic_int level[N], victim[N], inside;

static int others_are_ahead(int me, int at) {
  for (int other = 0; other < N; ++other)
    if (other != me && level[other] >= at) return 1;
  return 0;
}

static void* run(void* argument) {
  const int me = (int)(long)argument;
  for (;;) {
    for (int at = 1; at < N - BUG; ++at) {
      level[me] = at;
      victim[at] = me;
      while (others_are_ahead(me, at) && victim[at] == me) {
      }
    }
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    level[me] = 0;
  }
  return argument;
}

int main(void) {
  pthread_t threads[N];
  for (long i = 0; i < N; ++i) pthread_create(&threads[i], 0, run, (void*)i);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
}
