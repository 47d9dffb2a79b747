// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Two waiters, two signals: each signal wakes one.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static int tokens;

static void* take(void* argument) {
  pthread_mutex_lock(&mutex);
  while (tokens == 0) pthread_cond_wait(&added, &mutex);
  --tokens;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t takers[2];
  for (int i = 0; i < 2; ++i) pthread_create(&takers[i], NULL, take, NULL);
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    ++tokens;
    pthread_cond_signal(&added);
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < 2; ++i) pthread_join(takers[i], NULL);
  assert(tokens == 0);
  return 0;
}
