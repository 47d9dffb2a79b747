/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a test may tell Thrum. All of it is harmless in a normal build, and in a program built for Thrum that
 * runs by itself.
 *
 * __THRUM__ is defined where the compiler driver of Thrum compiles; elsewhere these functions do nothing,
 * inline.
 */
#ifndef THRUM_THRUM_H
#define THRUM_THRUM_H

#define THRUM_VERSION_MAJOR 0
#define THRUM_VERSION_MINOR 1
#define THRUM_VERSION_PATCH 0
/* One number, to compare: 10,203 is version 1.2.3. */
#define THRUM_VERSION (THRUM_VERSION_MAJOR * 10000 + THRUM_VERSION_MINOR * 100 + THRUM_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __THRUM__

/* A number in [0, n): the search tries each. Outside a search, 0. n == 0 counts as 1. */
unsigned thrum_choose(unsigned n);

/* Ends the execution, as one that does not count, where condition is 0. Outside a search, nothing. */
void thrum_assume(int condition);

/* A scheduling point: another thread may go on here. */
void thrum_point(void);

/* What stands between the two is one operation, which no other thread interrupts. Blocking in it is a bug
 * (lock-misuse). Does not exclude anything outside a search: what needs a lock in production needs it in a
 * test. */
void thrum_atomic_begin(void);
void thrum_atomic_end(void);

/* States an invariant: holds(argument) is not 0 in any state that schedules can reach, between any two steps,
 * from here on. It may only read memory; synchronizing, writing and allocating in it are bugs (lock-misuse).
 * The name stands in reports, and outlives the invariant. Returns what thrum_invariant_end() takes; what holds()
 * reads has to be there until then. Outside a search, nothing. */
unsigned long thrum_invariant(const char* name, int (*holds)(void* argument), void* argument);
/* From here on the invariant need not hold any more. */
void thrum_invariant_end(unsigned long invariant);

/* Says that the loop that calls it gets on, although it seems to spin. */
void thrum_progress(void);

/* 1 while the program runs under a search, else 0. */
int thrum_is_active(void);

#else

static inline unsigned thrum_choose(unsigned n) {
  (void)n;
  return 0;
}
static inline void thrum_assume(int condition) { (void)condition; }
static inline void thrum_point(void) {}
static inline void thrum_atomic_begin(void) {}
static inline void thrum_atomic_end(void) {}
static inline unsigned long thrum_invariant(const char* name, int (*holds)(void* argument), void* argument) {
  (void)name;
  (void)holds;
  (void)argument;
  return 0;
}
static inline void thrum_invariant_end(unsigned long invariant) { (void)invariant; }
static inline void thrum_progress(void) {}
static inline int thrum_is_active(void) { return 0; }

#endif

#ifdef __cplusplus
}
#endif

#endif /* THRUM_THRUM_H */
