// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// pthread_mutex_trylock and pthread_mutex_timedlock say EBUSY and ETIMEDOUT, or hold the mutex.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void visit_and_unlock(void) {
  ++inside;
  assert(inside == 1);
  --inside;
  pthread_mutex_unlock(&mutex);
}

static void* try_once(void* argument) {
  const int error = pthread_mutex_trylock(&mutex);
  assert(error == 0 || error == EBUSY);
  if (error == 0) visit_and_unlock();
  return argument;
}

static void* wait_a_second(void* argument) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 1;
  const int error = pthread_mutex_timedlock(&mutex, &deadline);
  assert(error == 0 || error == ETIMEDOUT);
  if (error == 0) visit_and_unlock();
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, try_once, NULL);
  pthread_create(&threads[1], NULL, wait_a_second, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
