// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// alarm: its handler runs once, at any point, also while main waits for its thread.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int rang;

static void ring(int number) {
  assert(number == SIGALRM);
  atomic_fetch_add(&rang, 1);
}

static void* work(void* argument) {
  while (!rang) pause();
  return argument;
}

int main(void) {
  signal(SIGALRM, ring);
  alarm(1);
  while (!rang) {
  }
  assert(alarm(0) == 0);
  assert(rang == 1);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
