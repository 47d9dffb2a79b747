// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Each thread finds itself by pthread_self, also when others have run in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void* work(void* argument) {
  const pthread_t self = pthread_self();
  atomic_fetch_add(&x, 1);
  assert(pthread_equal(self, pthread_self()));
  *(pthread_t*)argument = self;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_t seen[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &seen[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(pthread_equal(threads[0], seen[0]));
  assert(pthread_equal(threads[1], seen[1]));
  assert(!pthread_equal(threads[0], threads[1]));
  return 0;
}
