// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dining philosophers, who never leave the table.
//   BUG 1   all take the left fork first
//
// threads: 5
// states: 79
// bug 1 (-DBUG=1): deadlock, 1 preemption

#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef SEATS
#define SEATS 4
#endif

static pthread_mutex_t forks[SEATS];

static void* dine(void* argument) {
  const int seat = (int)(long)argument;
  int first = seat, second = (seat + 1) % SEATS;
  if (BUG == 0 && first > second) {
    first = second;
    second = seat;
  }
  for (;;) {
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
  }
  return argument;
}

int main(void) {
  pthread_t seats[SEATS];
  for (int i = 0; i < SEATS; ++i) pthread_mutex_init(&forks[i], 0);
  for (long i = 0; i < SEATS; ++i) pthread_create(&seats[i], 0, dine, (void*)i);
  for (int i = 0; i < SEATS; ++i) pthread_join(seats[i], 0);
}
