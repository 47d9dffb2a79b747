// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case upwards: bug crash preemptions=0
// case upwards_by_library: bug crash preemptions=0
// case upwards_in_small_stack: bug crash preemptions=0
// case upwards_in_main: bug stack-overflow preemptions=0
// case upwards_in_some_schedules: bug crash preemptions=1
// case downwards: bug stack-overflow preemptions=0
// case downwards_in_small_stack: bug stack-overflow preemptions=0
//
// A thread writes over the end of its stack, and on.
#define _GNU_SOURCE
#include <stdatomic.h>

#include "../../cases.h"

static long much = 1L << 18;
static atomic_int ready;

__attribute__((noinline)) static void spill(long step) {
  char local[16];
  // What compilers know nothing of.
  char* at = local;
  __asm__ volatile("" : "+r"(at));
  for (long i = much; i > 0; i--, at += step) *at = (char)0xff;  // reported
}

static void in_thread(body* run, size_t stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack != 0) pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread;
  pthread_create(&thread, &attributes, run, NULL);
  ready = 1;
  pthread_join(thread, NULL);
}

static void* go_up(void* unused) {
  spill(1);  // reported
  return unused;
}
static void run_upwards(void) { in_thread(go_up, 0); }
static void run_upwards_in_small_stack(void) { in_thread(go_up, 1 << 17); }

static void* clear_all(void* unused) {
  char local[16];
  memset(local, 0xff, (size_t)much);  // reported: upwards_by_library
  __asm__ volatile("" : : "r"(local) : "memory");
  return unused;
}
static void run_upwards_by_library(void) { in_thread(clear_all, 0); }

static void* idle(void* argument) { return argument; }
static void run_upwards_in_main(void) {
  in_thread(idle, 0);
  spill(1);  // reported: upwards_in_main
}

static void* go_up_early(void* unused) {
  if (!ready) spill(1);  // reported: upwards_in_some_schedules
  return unused;
}
static void run_upwards_in_some_schedules(void) { in_thread(go_up_early, 0); }

static void* go_down(void* unused) {
  spill(-64);  // reported
  return unused;
}
static void run_downwards(void) { in_thread(go_down, 0); }
static void run_downwards_in_small_stack(void) { in_thread(go_down, 1 << 17); }

MAIN(CASE(upwards), CASE(upwards_by_library), CASE(upwards_in_small_stack), CASE(upwards_in_main),
     CASE(upwards_in_some_schedules), CASE(downwards), CASE(downwards_in_small_stack))
