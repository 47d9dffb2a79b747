// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Three threads, one initialisation, finished before anybody goes on.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int started;
static int finished;

static void initialise(void) {
  atomic_fetch_add(&started, 1);
  finished = 1;
}

static void* use(void* argument) {
  pthread_once(&once, initialise);
  assert(finished == 1);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, use, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(started == 1);
  return 0;
}
