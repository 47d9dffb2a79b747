// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 2
//
// 1,100 threads, one after the other: those that have ended make room for new ones, and a new thread finds nothing
// of the thread whose place it has. Behind them, two threads that take a lock.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 1100, kText = 16, kStack = 16384 };

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int own = 7;
static locale_t other;

static void *uses_everything(void *argument) {
  char name[kText], before[kText];
  pthread_getname_np(pthread_self(), before, sizeof before);
  assert(own == 7);
  own = 8;
  assert(errno == 0);
  errno = EAGAIN;
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, argument);
  assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
  uselocale(other);
  pthread_setname_np(pthread_self(), "named");
  pthread_getname_np(pthread_self(), name, sizeof name);
  assert(strcmp(before, "named") != 0 && strcmp(name, "named") == 0);
  stack_t stack;
  sigaltstack(NULL, &stack);
  assert(stack.ss_flags == SS_DISABLE);
  stack = (stack_t){.ss_sp = argument, .ss_size = kStack};
  sigaltstack(&stack, NULL);
  return argument;
}

static void *locks(void *argument) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_key_create(&key, NULL);
  other = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  void *stack = malloc(kStack);
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    void *result;
    assert(pthread_create(&thread, NULL, uses_everything, stack) == 0);
    pthread_join(thread, &result);
    assert(result == stack);
  }
  pthread_t one, two;
  pthread_create(&one, NULL, locks, NULL);
  pthread_create(&two, NULL, locks, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  freelocale(other);
  free(stack);
  return 0;
}
