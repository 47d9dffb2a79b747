// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The alternating-bit protocol (Bartlett, Scantlebury and Wilkinson, CACM 1969) over channels that lose messages, for
// ever: what arrives is what was sent, in order and once.
//   BUG 1   the receiver does not look at the bit
//
// threads: 4
// states: 426
// bug 1 (-DBUG=1): assertion, 3 preemptions

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
enum { kEmpty = -1, kValues = 3 };

// A message is the value and the bit; an answer the bit.
static atomic_int to_receiver = kEmpty, to_sender = kEmpty;

static void* send(void* argument) {
  int value = 0, bit = 0;
  for (;;) {
    to_receiver = value * 2 + bit;  // perhaps over the last one, which is lost then
    const int answer = atomic_exchange(&to_sender, kEmpty);
    if (answer != bit) continue;
    bit = 1 - bit;
    value = (value + 1) % kValues;
  }
  return argument;
}

static void* receive(void* argument) {
  int expected = 0, bit = 0;
  for (;;) {
    const int message = atomic_exchange(&to_receiver, kEmpty);
    if (message == kEmpty) continue;
    if (BUG == 1 || message % 2 == bit) {
      assert(message / 2 == expected);
      expected = (expected + 1) % kValues;
      bit = 1 - bit;
    }
    to_sender = message % 2;
  }
  return argument;
}

static void* lose(void* argument) {
  for (;;) {
    atomic_exchange(&to_receiver, kEmpty);
    atomic_exchange(&to_sender, kEmpty);
  }
  return argument;
}

int main(void) {
  pthread_t sender, receiver, loser;
  pthread_create(&sender, 0, send, 0);
  pthread_create(&receiver, 0, receive, 0);
  pthread_create(&loser, 0, lose, 0);
  pthread_join(sender, 0);
}
