// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// errno belongs to the thread, whatever runs in between.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void* work(void* value) {
  errno = *(const int*)value;
  atomic_fetch_add(&x, 1);
  assert(errno == *(const int*)value);
  return NULL;
}

int main(void) {
  const int values[2] = {EINTR, ERANGE};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void*)&values[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
