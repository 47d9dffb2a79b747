// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// An error-checking mutex says EDEADLK to its holder and EPERM to everybody else.
#define _XOPEN_SOURCE 700
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex;

static void* work(void* argument) {
  int error = pthread_mutex_lock(&mutex);
  assert(error == 0);
  error = pthread_mutex_lock(&mutex);
  assert(error == EDEADLK);
  error = pthread_mutex_unlock(&mutex);
  assert(error == 0);
  error = pthread_mutex_unlock(&mutex);
  assert(error == EPERM);
  return argument;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attributes);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_mutex_destroy(&mutex);
  return 0;
}
