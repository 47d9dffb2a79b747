// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Main ends by pthread_exit, and the process by the return of its last thread.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void* work(void* argument) {
  atomic_fetch_add(&x, 1);
  atomic_fetch_add(&x, 1);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_detach(thread);
  atomic_fetch_add(&x, 1);
  pthread_exit(NULL);
}
