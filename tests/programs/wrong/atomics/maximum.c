// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case highest: exhausted             both threads' values count, in each order
// case plain_read: bug data-race      beside a read that is not atomic
// case relaxed: bug data-race         a relaxed maximum publishes nothing
//
// Clang's own maximum and minimum. Clang's ThreadSanitizer has no callback for them.
#define _GNU_SOURCE
#include "../../cases.h"

#ifndef __clang__
#define UPDATE(operation, pointer, operand, order)                                            \
  __extension__({                                                                             \
    __auto_type before = __atomic_load_n(pointer, __ATOMIC_RELAXED);                          \
    while (!__atomic_compare_exchange_n(pointer, &before,                                     \
                                        (operand) operation before ? (operand) : before, 0,   \
                                        order, __ATOMIC_RELAXED)) {                           \
    }                                                                                         \
    before;                                                                                   \
  })
#define __atomic_fetch_max(pointer, operand, order) UPDATE(>, pointer, operand, order)
#define __atomic_fetch_min(pointer, operand, order) UPDATE(<, pointer, operand, order)
#endif

static int highest;
static unsigned char lowest = 0xff;
static int data;
int seen;  // not static, or compilers would leave out what nobody reads

static void* one(void* argument) {
  assert(__atomic_fetch_max(&highest, 1, __ATOMIC_SEQ_CST) != 1);
  __atomic_fetch_min(&lowest, 7, __ATOMIC_SEQ_CST);
  return argument;
}
static void* two(void* argument) {
  assert(__atomic_fetch_max(&highest, 2, __ATOMIC_SEQ_CST) != 2);
  __atomic_fetch_min(&lowest, 8, __ATOMIC_SEQ_CST);
  return argument;
}
static void run_highest(void) {
  run_two(one, two);
  assert(highest == 2 && lowest == 7);
}

static void* read_plainly(void* argument) {
  seen = highest;  // reported: plain_read
  return argument;
}
static void* raise_highest(void* argument) {
  __atomic_fetch_max(&highest, 1, __ATOMIC_SEQ_CST);  // reported: plain_read
  return argument;
}
static void run_plain_read(void) {
  run_two(raise_highest, read_plainly);
}

static void* publish(void* argument) {
  data = 1;  // reported: relaxed
  __atomic_fetch_max(&highest, 1, __ATOMIC_RELAXED);
  return argument;
}
static void* take(void* argument) {
  if (__atomic_load_n(&highest, __ATOMIC_ACQUIRE) == 1) seen = data;  // reported: relaxed
  return argument;
}
static void run_relaxed(void) {
  run_two(publish, take);
}

int main(int argc, char** argv) {
  static const struct test_case cases[] = {CASE(highest), CASE(plain_read), CASE(relaxed)};
  return run_case(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
