// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A loop that counts its rounds in memory, by a function, before a fence: its rounds differ in nothing else, and it ends by
// itself. It does not wait for the flag, which nobody sets.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
static int rounds;

__attribute__((noinline)) static void count(void) { ++rounds; }
__attribute__((noinline)) static int is_over(void) { return rounds == 50; }

static void* wait_a_little(void* argument) {
  while (!atomic_load(&flag) && !is_over()) {
    count();
    atomic_thread_fence(memory_order_seq_cst);
  }
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_a_little, NULL);
  pthread_join(thread, NULL);
  assert(rounds == 50);
}
