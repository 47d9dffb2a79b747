// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// Figure 2 of Yi and Huang, Maximal path causality (ESEC/FSE 2018), for the inputs that show its bug: i is 3 and j is
// 2 (docs/causality.md). Thread 2 stores x before thread 1 adds to it and thread 3 reads it; and thread 3 stores y
// before both additions of thread 2.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* first(void* argument) {
  const int i = 3;
  (void)argument;
  x = 2;
  y = 5;
  if (i == 3) {
    const int before = x;
    x = before + 1;
    pthread_mutex_lock(&mutex);
    y = y - 1;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

static void* second(void* argument) {
  int j = 2;
  (void)argument;
  x = 100;
  while (j-- > 0) {
    pthread_mutex_lock(&mutex);
    y = y + 1;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

static void* third(void* argument) {
  (void)argument;
  x = 5;
  y = 0;
  if (x == 101) {
    if (y == 2) assert(0);  // reported
  }
  return 0;
}

int main(void) {
  void* (*const bodies[3])(void*) = {first, second, third};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, bodies[i], 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
