// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case illegal: bug crash preemptions=0
// case breakpoint: bug crash preemptions=0
// case numbered: bug crash preemptions=0
// case default_again: bug crash preemptions=0
//
// Assembly that the processor refuses, or that stops for a debugger.
#define _GNU_SOURCE
#include <signal.h>

#include "../../cases.h"

static void in_thread(body* run) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
}

static void* do_illegal(void* unused) {
  __asm__ volatile("ud2");
  return unused;
}
static void run_illegal(void) { in_thread(do_illegal); }

static void* do_breakpoint(void* unused) {
  __asm__ volatile("int3");
  return unused;
}
static void run_breakpoint(void) { in_thread(do_breakpoint); }

static void* do_numbered(void* unused) {
  __asm__ volatile("int $3");
  return unused;
}
static void run_numbered(void) { in_thread(do_numbered); }

// Behind a breakpoint the program goes on; the second one finds no handler.
static volatile sig_atomic_t caught;
static void note(int number) { caught = number; }
static void* do_default_again(void* unused) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND};
  sigaction(SIGTRAP, &action, NULL);
  __asm__ volatile("int3");
  assert(caught == SIGTRAP);
  __asm__ volatile("int3");
  return unused;
}
static void run_default_again(void) { in_thread(do_default_again); }

int main(int argc, char** argv) {
  static const struct test_case cases[] = {CASE(illegal), CASE(breakpoint), CASE(numbered), CASE(default_again)};
  return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
