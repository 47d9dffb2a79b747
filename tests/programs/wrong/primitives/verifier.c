// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case assume: bug assertion
// case assert: bug assertion
// case error: bug assertion
// case reach_error: bug assertion
// case atomic_begin: bug assertion
// case atomic_end: bug lock-misuse
// case atomic_named: bug assertion
// case nondet_bool: bug assertion
// case nondet_char: bug assertion
// case nondet_uchar: bug assertion
// case nondet_int: bug assertion
// case choose: bug assertion
// case point: bug data-race
// case progress: bug assertion
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <thrum/thrum.h>

#include "../../cases.h"

extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);
extern void __VERIFIER_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static atomic_int value;
static pthread_t other;

static void* increment(void* argument) {
  const int before = value;
  value = before + 1;
  return argument;
}

// What is assumed is not what fails.
static void run_assume(void) {
  pthread_create(&other, NULL, increment, NULL);
  increment(NULL);
  const int seen = value;
  __VERIFIER_assume(seen < 2);
  pthread_join(other, NULL);
  assert(value == 2);
}
static void run_assert(void) {
  pthread_create(&other, NULL, increment, NULL);
  __VERIFIER_assert(value == 0);
}
static void run_error(void) {
  run_two(increment, increment);
  if (value != 2) __VERIFIER_error();
}
static void run_reach_error(void) {
  run_two(increment, increment);
  if (value != 2) reach_error();
}
// A section for the reading and one for the writing.
static void* increment_in_sections(void* argument) {
  __VERIFIER_atomic_begin();
  const int before = value;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  value = before + 1;
  __VERIFIER_atomic_end();
  return argument;
}
static void run_atomic_begin(void) {
  run_two(increment_in_sections, increment_in_sections);
  assert(value == 2);
}
static void* end_once_more(void* argument) {
  __VERIFIER_atomic_begin();
  ++value;
  __VERIFIER_atomic_end();
  if (value == 2) __VERIFIER_atomic_end();
  return argument;
}
static void run_atomic_end(void) { run_two(end_once_more, end_once_more); }
// Each call is a section, not both together.
static int __VERIFIER_atomic_read(void) { return value; }
static void __VERIFIER_atomic_write(int next) { value = next; }
static void* increment_by_calls(void* argument) {
  __VERIFIER_atomic_write(__VERIFIER_atomic_read() + 1);
  return argument;
}
static void run_atomic_named(void) {
  run_two(increment_by_calls, increment_by_calls);
  assert(value == 2);
}
static void run_nondet_bool(void) {
  run_two(increment, increment);
  assert(!__VERIFIER_nondet_bool());
}
static void run_nondet_char(void) { assert(__VERIFIER_nondet_char() != -77); }
static void run_nondet_uchar(void) { assert(__VERIFIER_nondet_uchar() != 200); }
static void run_nondet_int(void) {
  assert(__VERIFIER_nondet_int() == 0 || __VERIFIER_nondet_int() == __VERIFIER_nondet_int());
}
static void run_choose(void) {
  thrum_assume(1);
  assert(thrum_choose(7) != 5);
}
// Plain accesses with a mark between.
static int plain;
static void* increment_with_point(void* argument) {
  const int before = plain;
  thrum_point();
  plain = before + 1;
  return argument;
}
static void run_point(void) {
  run_two(increment_with_point, increment_with_point);
  assert(plain == 2);
}
// A loop that counts in a place that nobody sees gets on.
static void* count_rounds(void* argument) {
  if (thrum_is_active()) thrum_progress();
  return increment(argument);
}
static void run_progress(void) {
  thrum_atomic_begin();
  thrum_atomic_end();
  run_two(count_rounds, count_rounds);
  assert(value == 2);
}

MAIN(CASE(assume), CASE(assert), CASE(error), CASE(reach_error), CASE(atomic_begin), CASE(atomic_end),
     CASE(atomic_named), CASE(nondet_bool), CASE(nondet_char), CASE(nondet_uchar), CASE(nondet_int), CASE(choose),
     CASE(point), CASE(progress))
