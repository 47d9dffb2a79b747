// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A round of the loop reads two flags in turn. One is raised between the two reads, and the other thread has
// ended by then.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flags[2];

static void* wait_for_one(void* argument) {
  for (unsigned turn = 0; atomic_load(&flags[turn]) == 0;) turn ^= 1;
  return argument;
}

static void* raise_first(void* argument) {
  atomic_store(&flags[0], 1);
  return argument;
}

static void* raise_second(void* argument) {
  atomic_store(&flags[1], 1);
  return argument;
}

int main(void) {
  for (int i = 0; i < 2; ++i) {
    pthread_t waiter, raiser;
    pthread_create(&waiter, 0, wait_for_one, 0);
    pthread_create(&raiser, 0, i == 0 ? raise_first : raise_second, 0);
    pthread_join(waiter, 0);
    pthread_join(raiser, 0);
    flags[0] = flags[1] = 0;
  }
  return 0;
}
