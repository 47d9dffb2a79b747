// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: same
//
// The compiler's own fetch_nand and *_fetch forms, which the standard library does not use.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static unsigned char small = 0xff;
static unsigned long big = 0;

static void* work(void* argument) {
  __atomic_fetch_nand(&small, 0xff, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&big, 3, __ATOMIC_SEQ_CST);
  __sync_fetch_and_add(&big, 4);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(__atomic_load_n(&small, __ATOMIC_SEQ_CST) == 0xff);
  assert(__atomic_load_n(&big, __ATOMIC_SEQ_CST) == 14);
  return 0;
}
