// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=1
//
// Two initialisations that need each other.
#include <pthread.h>
#include <stddef.h>

static pthread_once_t a = PTHREAD_ONCE_INIT;
static pthread_once_t b = PTHREAD_ONCE_INIT;

static void nothing(void) {}
static void initialise_a(void) { pthread_once(&b, nothing); }
static void initialise_b(void) { pthread_once(&a, nothing); }

static void* use_a(void* argument) {
  pthread_once(&a, initialise_a);
  return argument;
}

static void* use_b(void* argument) {
  pthread_once(&b, initialise_b);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, use_a, NULL);
  pthread_create(&threads[1], NULL, use_b, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
