// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// case before_threads: exhausted
// case nested: exhausted
// case blocked_before: exhausted
// case saved_before_threads: exhausted
//
// siglongjmp out of a handler: the mask is as sigsetjmp found it, also where there is no second thread yet.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>

#include "../../cases.h"

static sigjmp_buf out;
static volatile int handled;

static int is_blocked(int number) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  return sigismember(&mask, number);
}
static void change(int how, int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(how, &set, NULL);
}

static void jump(int number) {
  ++handled;
  siglongjmp(out, number);
}
static void raise_other(int number) {
  ++handled;
  raise(SIGUSR2);
  assert(number == 0);
}

static void run_before_threads(void) {
  signal(SIGUSR1, jump);
  for (volatile int i = 0; i < 3; ++i) {
    if (sigsetjmp(out, 1) == 0) raise(SIGUSR1);
    assert(handled == i + 1 && !is_blocked(SIGUSR1));
  }
}

// The last jump restores no mask.
static void run_nested(void) {
  signal(SIGUSR1, raise_other);
  signal(SIGUSR2, jump);
  for (volatile int i = 0; i < 3; ++i) {
    if (sigsetjmp(out, i != 2) == 0) raise(SIGUSR1);
    assert(is_blocked(SIGUSR1) == (i == 2));
    assert(is_blocked(SIGUSR2) == (i == 2));
  }
  assert(handled == 6);
}

static void run_blocked_before(void) {
  signal(SIGUSR1, jump);
  change(SIG_BLOCK, SIGUSR2);
  if (sigsetjmp(out, 1) == 0) {
    change(SIG_UNBLOCK, SIGUSR2);
    raise(SIGUSR1);
  }
  assert(handled == 1 && !is_blocked(SIGUSR1) && is_blocked(SIGUSR2));
}

static void* do_nothing(void* argument) { return argument; }

static void run_saved_before_threads(void) {
  signal(SIGUSR1, jump);
  change(SIG_BLOCK, SIGUSR2);
  if (sigsetjmp(out, 1) == 0) {
    run_two(do_nothing, do_nothing);
    change(SIG_UNBLOCK, SIGUSR2);
    raise(SIGUSR1);
  }
  assert(handled == 1 && !is_blocked(SIGUSR1) && is_blocked(SIGUSR2));
}

MAIN(CASE(before_threads), CASE(nested), CASE(blocked_before), CASE(saved_before_threads))
