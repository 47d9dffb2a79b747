// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A recursive mutex is free only after as many unlocks as locks.
#define _XOPEN_SOURCE 700
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static int depth;

static void* work(void* argument) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    ++depth;
  }
  assert(depth == 2);
  for (int i = 0; i < 2; ++i) {
    --depth;
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_mutex_destroy(&mutex);
  return 0;
}
