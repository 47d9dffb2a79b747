// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: both
//
// ualarm: the handler runs once, unless it is switched off before; then what was left is given back.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int rang;

static void ring(int number) {
  assert(number == SIGALRM);
  atomic_fetch_add(&rang, 1);
}

int main(void) {
  signal(SIGALRM, ring);
  assert(ualarm(900000, 0) == 0);
  const useconds_t left = ualarm(0, 0);
  while (left == 0 && !rang) {
  }
  assert(left <= 900000 && rang == (left == 0));
  rang = 0;
  ualarm(1000, 0);
  while (!rang) {
  }
  assert(rang == 1 && ualarm(0, 0) == 0);
  return 0;
}
