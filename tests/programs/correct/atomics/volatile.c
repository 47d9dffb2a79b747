// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: inconclusive
// reason: data races were ignored
// args: --races ignore
// count dfs: 6
// compilers: same
//
// Volatile accesses are scheduling points: a write and a read in each of two threads, C(4,2) = 6.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int x;
static volatile int y;
static int seen[2];

static void* first(void* argument) {
  x = 1;
  seen[0] = y;
  return argument;
}

static void* second(void* argument) {
  y = 1;
  seen[1] = x;
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(seen[0] == 1 || seen[1] == 1);
  return 0;
}
