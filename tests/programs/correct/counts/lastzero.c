// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --strategy dpor
// expect: exhausted
// count dpor: 15360
//
// One thread looks for the last zero of an array, from its end on, while twelve others each write a place. There
// are (N + 3) 2^(N - 2) classes (docs/semantics.md, "Known counts").
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { kLast = 12 };
static atomic_int array[kLast + 1];

static void* find_last_zero(void* argument) {
  int place = kLast;
  while (array[place] != 0) --place;
  return argument;
}

static void* write_one(void* argument) {
  intptr_t place = (intptr_t)argument;
  array[place] = array[place - 1] + 1;
  return NULL;
}

int main(void) {
  pthread_t threads[kLast + 1];
  pthread_create(&threads[0], NULL, find_last_zero, NULL);
  for (intptr_t place = 1; place <= kLast; ++place)
    pthread_create(&threads[place], NULL, write_one, (void*)place);
  for (int place = 0; place <= kLast; ++place) pthread_join(threads[place], NULL);
  return 0;
}
