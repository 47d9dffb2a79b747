// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --strategy dpor
// expect: exhausted
// count dpor: 256
//
// One thread writes a variable, eight read it once each: 2^8 classes, by who reads before the write.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { kReaders = 8 };
static atomic_int x;

static void* write_x(void* argument) {
  x = 1;
  return argument;
}

static void* read_x(void* argument) {
  (void)atomic_load(&x);
  return argument;
}

int main(void) {
  pthread_t threads[kReaders + 1];
  pthread_create(&threads[0], NULL, write_x, NULL);
  for (int i = 1; i <= kReaders; ++i) pthread_create(&threads[i], NULL, read_x, NULL);
  for (int i = 0; i <= kReaders; ++i) pthread_join(threads[i], NULL);
  return 0;
}
