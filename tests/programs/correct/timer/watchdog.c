// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// An alarm that would end the process is for runs that take too long, and this one does not.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int count;

static void* work(void* argument) {
  atomic_fetch_add(&count, 1);
  usleep(1000);
  atomic_fetch_add(&count, 1);
  return argument;
}

int main(void) {
  alarm(10);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 4);
  return 0;
}
