// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 8 spins (-DSPINS=8): not counted
//
// Dekker's mutual exclusion as Yi and Huang search it (Maximal path causality, ESEC/FSE 2018): two threads, each
// once, and nobody waits longer than SPINS rounds.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SPINS
#define SPINS 4
#endif

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

static int lock(int me) {
  const int other = 1 - me;
  int spins = 0;
  wants[me] = 1;
  while (wants[other]) {
    if (++spins > SPINS) return 0;
    if (turn == me) continue;
    wants[me] = 0;
    while (turn != me) {
      if (++spins > SPINS) return 0;
    }
    wants[me] = 1;
  }
  return 1;
}

static void* run(void* argument) {
  const int me = *(const int*)argument;
  if (lock(me)) {
    assert(inside == 0);
    inside = 1;
    inside = 0;
    turn = 1 - me;
  }
  wants[me] = 0;
  return 0;
}

int main(void) {
  static const int numbers[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, run, (void*)&numbers[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
