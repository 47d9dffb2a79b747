// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Szymanski's lock (ICS 1988): threads wait in a room until all who are in it may go on, taken and given back for
// ever. models/szymanski.pml is the same for SPIN.
//
// threads: 4
// states: 1615
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int flag[N], inside;

// Whether some other thread's flag is between the two.
static int another_is(int me, int least, int most) {
  for (int other = 0; other < N; ++other) {
    if (other == me) continue;
    const int now = flag[other];
    if (now >= least && now <= most) return 1;
  }
  return 0;
}

static void* run(void* argument) {
  const int me = (int)(long)argument;
  for (;;) {
    flag[me] = 1;
    while (another_is(me, 3, 4)) {
    }
    flag[me] = 3;
    if (another_is(me, 1, 1)) {
      flag[me] = 2;
      while (!another_is(me, 4, 4)) {
      }
    }
    flag[me] = 4;
    for (int other = 0; other < me; ++other) {
      while (flag[other] >= 2) {
      }
    }
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    for (int other = me + 1; other < N; ++other) {
      for (int now = flag[other]; now == 2 || now == 3; now = flag[other]) {
      }
    }
    flag[me] = 0;
  }
  return argument;
}

int main(void) {
  pthread_t threads[N];
  for (long i = 0; i < N; ++i) pthread_create(&threads[i], 0, run, (void*)i);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
}
