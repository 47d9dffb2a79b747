// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 2
// compilers: same
//
// Values go in by the argument and come out by the join. One operation in each thread: 2! = 2.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int sum;

static void* add(void* argument) {
  const intptr_t value = (intptr_t)argument;
  atomic_fetch_add(&sum, (int)value);
  return (void*)(value + 1);
}

int main(void) {
  pthread_t threads[2];
  for (intptr_t i = 0; i < 2; ++i) {
    const int error = pthread_create(&threads[i], NULL, add, (void*)(10 * i));
    assert(error == 0);
  }
  for (intptr_t i = 0; i < 2; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    assert(result == (void*)(10 * i + 1));
  }
  assert(sum == 10);
  return 0;
}
