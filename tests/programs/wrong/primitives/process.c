// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case exit: bug nonzero-exit
// case _exit: bug nonzero-exit
// case _Exit: bug nonzero-exit
// case quick_exit: bug assertion
// case at_quick_exit: bug assertion
// case atexit: bug assertion
// case on_exit: bug assertion
// case abort: bug crash
// case assert: bug assertion
// case main_leaves: bug assertion
// case malloc: bug assertion
// case free: bug double-free
// case calloc: bug assertion
// case realloc: bug double-free
// case reallocarray: bug double-free
// case aligned_alloc: bug double-free
// case memalign: bug double-free
// case posix_memalign: bug double-free
// case valloc: bug double-free
// case pvalloc: bug double-free
// case malloc_usable_size: bug assertion
#define _GNU_SOURCE
#include <malloc.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../../cases.h"

static atomic_int value;
static pthread_t other;

static void* set_value(void* argument) {
  value = 1;
  return argument;
}

// The status is that of who comes first.
#define LEAVE(name)                           \
  static void* name##_with_3(void* argument) { \
    if (value == 1) name(3);                  \
    return argument;                          \
  }                                           \
  static void run_##name(void) { run_two(set_value, name##_with_3); }
LEAVE(exit)
LEAVE(_exit)
LEAVE(_Exit)

// Handlers run while other threads go on.
static void expect_nothing(void) { assert(value == 0); }
static void run_at_quick_exit(void) {
  at_quick_exit(expect_nothing);
  pthread_create(&other, NULL, set_value, NULL);
  quick_exit(0);
}
static void run_quick_exit(void) {
  at_quick_exit(expect_nothing);
  pthread_create(&other, NULL, set_value, NULL);
  if (value == 1) quick_exit(0);
  _exit(0);
}
static void run_atexit(void) {
  atexit(expect_nothing);
  pthread_create(&other, NULL, set_value, NULL);
}
static void expect_argument(int status, void* argument) { assert(value == *(int*)argument + status); }
static void run_on_exit(void) {
  static int zero;
  on_exit(expect_argument, &zero);
  pthread_create(&other, NULL, set_value, NULL);
}
// The last thread to end runs them, where main has left.
static void run_main_leaves(void) {
  atexit(expect_nothing);
  pthread_create(&other, NULL, set_value, NULL);
  pthread_exit(NULL);
}

static void* abort_if_late(void* argument) {
  if (value == 1) abort();
  return argument;
}
static void run_abort(void) { run_two(set_value, abort_if_late); }
static void* assert_early(void* argument) {
  assert(value == 0);
  return argument;
}
static void run_assert(void) { run_two(set_value, assert_early); }

// What malloc gives may be what another block was.
static void* give_back(void* argument) {
  static void* volatile given[2];  // lest the compiler think that it knows
  given[0] = malloc(64);
  free(given[0]);
  given[1] = malloc(64);
  if (value == 0) assert(given[0] != given[1]);
  free(given[1]);
  return argument;
}
static void run_malloc(void) { run_two(set_value, give_back); }
static void* remember_zero(void* argument) {
  char* block = calloc(16, 1);
  block[0] = (char)value;
  assert(block[0] == 0);
  free(block);
  return argument;
}
static void run_calloc(void) { run_two(set_value, remember_zero); }

// Freed by both, where each looks before the other has said so.
static void* block;
static atomic_int freed;
static void* free_once(void* argument) {
  if (freed == 0) {
    freed = 1;
    free(block);
  }
  return argument;
}
static void* resize(void* argument) {
  if (freed == 0) {
    freed = 1;
    free(argument == NULL ? realloc(block, 100) : NULL);
  }
  return argument;
}
static void* resize_array(void* argument) {
  if (freed == 0) {
    freed = 1;
    free(argument == NULL ? reallocarray(block, 100, 2) : NULL);
  }
  return argument;
}
static void run_free(void) {
  block = malloc(8);
  run_two(free_once, free_once);
}
static void run_realloc(void) {
  block = malloc(8);
  run_two(free_once, resize);
}
static void run_reallocarray(void) {
  block = malloc(8);
  run_two(free_once, resize_array);
}
static void run_aligned_alloc(void) {
  block = aligned_alloc(64, 64);
  run_two(free_once, free_once);
}
static void run_memalign(void) {
  block = memalign(64, 64);
  run_two(free_once, free_once);
}
static void run_posix_memalign(void) {
  assert(posix_memalign(&block, 64, 64) == 0);
  run_two(free_once, free_once);
}
static void run_valloc(void) {
  block = valloc(64);
  run_two(free_once, free_once);
}
static void run_pvalloc(void) {
  block = pvalloc(64);
  run_two(free_once, free_once);
}
// The size may be a new block's.
static void* replace(void* argument) {
  void* larger = realloc(block, 100);
  block = larger;
  value = 1;
  return argument;
}
static void* read_size(void* argument) {
  if (value == 1) assert(malloc_usable_size(block) < 100);
  return argument;
}
static void run_malloc_usable_size(void) {
  block = malloc(8);
  run_two(replace, read_size);
}

MAIN(CASE(exit), CASE(_exit), CASE(_Exit), CASE(quick_exit), CASE(at_quick_exit), CASE(atexit), CASE(on_exit),
     CASE(abort), CASE(assert), CASE(main_leaves), CASE(malloc), CASE(free), CASE(calloc), CASE(realloc),
     CASE(reallocarray), CASE(aligned_alloc), CASE(memalign), CASE(posix_memalign), CASE(valloc), CASE(pvalloc),
     CASE(malloc_usable_size))
