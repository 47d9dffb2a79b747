// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// The alarm rings in the middle of an update.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int first;
static atomic_int second;

static void ring(int number) {
  (void)number;
  assert(first == second);
}

int main(void) {
  signal(SIGALRM, ring);
  alarm(5);
  first = 1;
  second = 1;
  alarm(0);
  return 0;
}
