// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ticket lock, whose tickets go round, taken and given back for ever. models/ticket_lock.pml is the same for SPIN.
//
// threads: 4
// states: 12784
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
enum { kTickets = 8 };

static atomic_int next_ticket, serving, inside;

static void* run(void* argument) {
  for (;;) {
    int ticket = next_ticket;
    while (!atomic_compare_exchange_strong(&next_ticket, &ticket, (ticket + 1) % kTickets)) {
    }
    while (serving != ticket) {
    }
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    serving = (ticket + 1) % kTickets;
  }
  return argument;
}

int main(void) {
  pthread_t threads[N];
  for (long i = 0; i < N; ++i) pthread_create(&threads[i], 0, run, (void*)i);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
}
