// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --strategy dpor
// expect: exhausted
// count dpor: 19605
//
// As fib.c, but main reads the numbers meanwhile.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int i = 1;
atomic_int j = 1;

static void* add_to_i(void* argument) {
  for (int n = 0; n < 4; ++n) {
    int a = i;
    int b = j;
    i = a + b;
  }
  return argument;
}

static void* add_to_j(void* argument) {
  for (int n = 0; n < 4; ++n) {
    int b = j;
    int a = i;
    j = b + a;
  }
  return argument;
}

int main(void) {
  pthread_t first;
  pthread_t second;
  pthread_create(&first, NULL, add_to_i, NULL);
  pthread_create(&second, NULL, add_to_j, NULL);
  (void)atomic_load(&i);
  (void)atomic_load(&j);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
