// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// pthread_exit in the middle of a thread: nothing after it runs, and the join gets its value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int reached;
static int value = 7;

static void leave(void) { pthread_exit(&value); }

static void* work(void* argument) {
  atomic_fetch_add(&reached, 1);
  leave();
  atomic_fetch_add(&reached, 100);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  void* result;
  pthread_join(thread, &result);
  assert(result == &value);
  assert(reached == 1);
  return 0;
}
