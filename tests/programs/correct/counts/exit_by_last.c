// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dpor: 8
//
// Three pairs of threads, each pair with a lock of its own, and main leaves by pthread_exit: the order of
// each pair is free, 2^3 classes. Which thread is the last is no matter: the process ends behind all of them.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { kPairs = 3 };
static pthread_mutex_t locks[kPairs];
static int cells[kPairs];

static void* add(void* argument) {
  intptr_t i = (intptr_t)argument;
  pthread_mutex_lock(&locks[i]);
  ++cells[i];
  pthread_mutex_unlock(&locks[i]);
  return NULL;
}

int main(void) {
  for (int i = 0; i < kPairs; ++i) pthread_mutex_init(&locks[i], NULL);
  for (intptr_t i = 0; i < 2 * kPairs; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, (void*)(i / 2));
  }
  pthread_exit(NULL);
}
