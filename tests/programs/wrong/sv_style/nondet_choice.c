// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion
//
// One input of many is the wrong one, and only in one order.
extern void abort(void);
#include <assert.h>
#include <pthread.h>
void reach_error(void) { assert(0); }

#include <stdbool.h>
extern bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

static _Atomic int shared;

static void* writer(void* argument) {
  if (__VERIFIER_nondet_bool()) shared = __VERIFIER_nondet_uchar();
  return argument;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  int seen = shared;
  pthread_join(t, 0);
  if (seen == 0 && shared == 129) reach_error();
  return 0;
}
