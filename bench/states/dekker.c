// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dekker's lock for two threads, taken and given back for ever. models/dekker.pml is the same for SPIN.
//
// threads: 2
// states: 144
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void* run(void* argument) {
  const int me = (int)(long)argument;
  for (;;) {
    wants[me] = 1;
    while (wants[1 - me]) {
      if (turn == me) continue;
      wants[me] = 0;
      while (turn != me) {
      }
      wants[me] = 1;
    }
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    turn = 1 - me;
    wants[me] = 0;
  }
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, (void*)1);
  run((void*)0);
}
