// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// expect: exhausted
//
// Threads use their stacks from one end to the other, and thread-local variables, which lie behind the upper
// one.
#include <pthread.h>
#include <string.h>

static _Thread_local char own[4096];

__attribute__((noinline)) static void fill(int depth) {
  volatile char part[16 << 10];
  memset((char*)part, depth, sizeof part);
  if (depth != 0) fill(depth - 1);
  part[0] = part[sizeof part - 1];
}

static void* work(void* unused) {
  memset(own, 1, sizeof own);
  fill(5);
  return unused;
}

int main(void) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], &small, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
