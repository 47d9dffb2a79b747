// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case written: bug crash preemptions=0
// case read: bug crash preemptions=0
// case just_beyond: bug crash preemptions=0
// case across: bug crash preemptions=0
// case not_canonical: bug crash preemptions=0
// case upper_half: bug crash preemptions=0
// case like_a_stack: bug crash preemptions=0
// case changed: bug crash preemptions=0
// case compared: bug crash preemptions=0
// case copied: bug crash preemptions=0
// case locked: bug crash preemptions=0
// case posted: bug crash preemptions=0
// case early: bug crash preemptions=0
//
// Pointers to where no program has memory: beyond 2^47.
#define _GNU_SOURCE
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../../cases.h"

// Not static, or compilers would leave out what nobody reads.
int seen;
static volatile uint64_t address = 0xdead00000000;

static void in_thread(body* run) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
}

#define WILD(name, value, statement)        \
  static void* do_##name(void* unused) {    \
    statement return unused;                \
  }                                         \
  static void run_##name(void) {            \
    address = value;                        \
    in_thread(do_##name);                   \
  }
#define AT(type) (*(type*)address)

WILD(written, 0xdead00000000, AT(int) = 1;)                          // reported: written
WILD(read, 0xdead00000000, seen = AT(int);)                          // reported: read
WILD(just_beyond, 0x800000000000, AT(int) = 1;)                      // reported: just_beyond
WILD(across, 0x7ffffffffffc, AT(int64_t) = 1;)                       // reported: across
WILD(not_canonical, 0x40000000000000, seen = AT(int);)               // reported: not_canonical
WILD(upper_half, 0xffff800000000000, AT(char) = 1;)                  // reported: upper_half
WILD(like_a_stack, 0x4200000000000000, AT(int) = 1;)                 // reported: like_a_stack
WILD(changed, 0x1000000000000, ++AT(atomic_int);)                    // reported: changed
WILD(compared, 0x123456789abcdef0, int expected = 0;
     atomic_compare_exchange_strong(&AT(atomic_int), &expected, 1);) // reported: compared
WILD(copied, 0xdead00000000, char text[16] = {0}; memcpy(&AT(char), text, 16);)  // reported: copied
WILD(locked, 0xdead00000000, pthread_mutex_lock(&AT(pthread_mutex_t));)          // reported: locked
WILD(posted, 0xdead00000000, sem_post(&AT(sem_t));)                              // reported: posted

static void* idle(void* argument) { return argument; }
static void run_early(void) {
  AT(int) = 1;  // reported: early
  in_thread(idle);
}

MAIN(CASE(written), CASE(read), CASE(just_beyond), CASE(across), CASE(not_canonical), CASE(upper_half),
     CASE(like_a_stack), CASE(changed), CASE(compared), CASE(copied), CASE(locked), CASE(posted), CASE(early))
