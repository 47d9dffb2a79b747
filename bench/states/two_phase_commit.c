// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two-phase commit: a coordinator asks participants for their votes, and each may vote no or give up waiting; all
// decide the same.
//   BUG 1   a participant that gives up waiting decides by itself, though it has voted yes
//
// threads: 4
// states: 850
// bug 1 (-DBUG=1): assertion, 1 preemption

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "thrum/thrum.h"

#ifndef BUG
#define BUG 0
#endif
#ifndef PARTICIPANTS
#define PARTICIPANTS 3
#endif
enum { kNothing, kYes, kNo, kCommit, kAbort };

static atomic_int votes[PARTICIPANTS], decision, decisions[PARTICIPANTS];

static void* participate(void* argument) {
  const int me = (int)(long)argument;
  const int vote = thrum_choose(2) == 0 ? kYes : kNo;
  votes[me] = vote;
  if (vote == kNo) {
    decisions[me] = kAbort;
    return argument;
  }
  while (decision == kNothing) {
    if (BUG == 1 && thrum_choose(2) == 1) {
      decisions[me] = kAbort;
      return argument;
    }
  }
  decisions[me] = decision;
  return argument;
}

int main(void) {
  pthread_t participants[PARTICIPANTS];
  for (long i = 0; i < PARTICIPANTS; ++i) pthread_create(&participants[i], 0, participate, (void*)i);
  int all_say_yes = 1;
  for (int i = 0; i < PARTICIPANTS; ++i) {
    while (votes[i] == kNothing) {
    }
    if (votes[i] == kNo) all_say_yes = 0;
  }
  decision = all_say_yes ? kCommit : kAbort;
  for (int i = 0; i < PARTICIPANTS; ++i) pthread_join(participants[i], 0);
  for (int i = 1; i < PARTICIPANTS; ++i) assert(decisions[i] == decisions[0]);
}
