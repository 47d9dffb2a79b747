// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -O0
// expect: bug data-race
//
// A loop that waits for plain memory gives way to who writes it.
#include <pthread.h>
#include <stddef.h>

static int go;

static void* wait_for_go(void* unused) {
  while (!go) {
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_go, NULL);
  go = 1;
  pthread_join(thread, NULL);
  return 0;
}
