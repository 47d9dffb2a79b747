// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 2 rounds (-DROUNDS=2 -DTRIES=3): not counted
//
// A sequence lock as Yi and Huang search it (Maximal path causality, ESEC/FSE 2018): a writer, and two readers
// that try TRIES times to read both halves of what it writes ROUNDS times.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef TRIES
#define TRIES 2
#endif
#define READERS 2

static atomic_int sequence;
static atomic_int data[2];

static void* write_both(void* argument) {
  (void)argument;
  for (int i = 1; i <= ROUNDS; ++i) {
    sequence = 2 * i - 1;
    data[0] = i;
    data[1] = i;
    sequence = 2 * i;
  }
  return 0;
}

static void* read_both(void* argument) {
  (void)argument;
  for (int i = 0; i < TRIES; ++i) {
    const int before = sequence;
    if (before % 2 != 0) continue;
    const int first = data[0];
    const int second = data[1];
    if (sequence != before) continue;
    assert(first == second);
    return 0;
  }
  return 0;
}

int main(void) {
  pthread_t threads[1 + READERS];
  pthread_create(&threads[0], 0, write_both, 0);
  for (int i = 1; i <= READERS; ++i) pthread_create(&threads[i], 0, read_both, 0);
  for (int i = 0; i <= READERS; ++i) pthread_join(threads[i], 0);
  return 0;
}
