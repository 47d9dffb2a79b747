// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --strategy dpor
// expect: exhausted
// count dpor: 4096
//
// Fifteen threads that each put four words into a hash table whose cells have a mutex each (docs/semantics.md,
// "Known counts").
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { kThreads = 15, kCells = 128, kWords = 4 };
static int table[kCells];
static pthread_mutex_t mutexes[kCells];

static int put(int cell, int word) {
  pthread_mutex_lock(&mutexes[cell]);
  int is_free = table[cell] == 0;
  if (is_free) table[cell] = word;
  pthread_mutex_unlock(&mutexes[cell]);
  return is_free;
}

static void* index_words(void* argument) {
  for (int m = 1; m <= kWords; ++m) {
    int word = 11 * m + (int)(intptr_t)argument;
    int cell = 7 * word % kCells;
    while (!put(cell, word)) cell = (cell + 1) % kCells;
  }
  return NULL;
}

int main(void) {
  for (int cell = 0; cell < kCells; ++cell) pthread_mutex_init(&mutexes[cell], NULL);
  pthread_t threads[kThreads];
  for (intptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, index_words, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}
