// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// args: --require-exhausted
// case assumptions: exhausted
// case named_sections: exhausted
// case points: exhausted
// case small_inputs: exhausted
// case wide_inputs: inconclusive
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <thrum/thrum.h>

#include "../../cases.h"

extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);
extern void __VERIFIER_error(void);
extern bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

static atomic_int value;
static int plain;

static void* increment(void* argument) {
  const int before = value;
  value = before + 1;
  return argument;
}
static void run_assumptions(void) {
  run_two(increment, increment);
  __VERIFIER_assume(value == 2);
  __VERIFIER_assert(value == 2);
  if (value != 2) __VERIFIER_error();
  if (value != 2) reach_error();
}

// What is read and written in one call is one operation.
static void __VERIFIER_atomic_increment(void) {
  const int before = value;
  value = before + 1;
}
static void* increment_by_call(void* argument) {
  __VERIFIER_atomic_increment();
  return argument;
}
static void run_named_sections(void) {
  run_two(increment_by_call, increment_by_call);
  assert(value == 2);
}

static void* mark(void* argument) {
  thrum_point();
  atomic_fetch_add(&value, 1);
  if (thrum_is_active()) thrum_progress();
  thrum_point();
  return argument;
}
static void run_points(void) {
  run_two(mark, mark);
  assert(value == 2);
}

static void run_small_inputs(void) {
  const bool yes = __VERIFIER_nondet_bool();
  const char letter = __VERIFIER_nondet_char();
  __VERIFIER_assume(letter == 'x' || letter == 'y');
  const unsigned char byte = __VERIFIER_nondet_uchar();
  __VERIFIER_assume(byte >= 254);
  run_two(mark, increment);
  assert(yes + letter + byte <= 1 + 'y' + 255);
}

// Some of their values are tried.
static void run_wide_inputs(void) {
  static int inputs[2];
  for (int i = 0; i < 2; ++i) inputs[i] = __VERIFIER_nondet_int();
  assert(inputs[0] != 1234567 || inputs[1] != 7654321 || __VERIFIER_nondet_ulong() != 5000000000);
  const double real = __VERIFIER_nondet_double();
  run_two(increment, mark);
  assert(real == real || real != real);
}

MAIN(CASE(assumptions), CASE(named_sections), CASE(points), CASE(small_inputs), CASE(wide_inputs))
