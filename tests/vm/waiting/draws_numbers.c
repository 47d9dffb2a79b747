// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// A loop that draws random numbers does not wait: it may leave by one of them.
#define _DEFAULT_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int flag, left;

static void* look(void* argument) {
  assert(left == 0);
  flag = 1;
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, look, 0);
  while (flag == 0) {
    if (arc4random() % 4 == 2) {
      left = 1;
      break;
    }
  }
  pthread_join(thread, 0);
  return 0;
}
