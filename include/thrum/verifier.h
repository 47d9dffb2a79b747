/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What thrum sequentialize writes, as plain C: include this before it (-include thrum/verifier.h) for analysers
 * that know nothing of verifiers. A failure becomes a write through a null pointer, which clang --analyze and
 * gcc -fanalyzer report; for Frama-C it is an assertion.
 */
#ifndef THRUM_VERIFIER_H
#define THRUM_VERIFIER_H

#include "detail/verifier_inputs.h"

#ifdef __FRAMAC__
static void thrum_failure(void) {
  /*@ assert \false; */
}
#define THRUM_FAIL(message) thrum_failure()
#else
#ifdef __clang__
#define thrum_null ((volatile int *)0)
#else
static int *thrum_null; /* is known to be null where main is known to have been called */
#endif
#define THRUM_FAIL(message) \
  do {                      \
    *thrum_null = 1;        \
    exit(1);                \
  } while (0)
#endif

#endif /* THRUM_VERIFIER_H */
