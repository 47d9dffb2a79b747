// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counter.h"

#include <stdatomic.h>

static atomic_int counter;

int increment(void) {
  int next = counter + 1;
  counter = next;
  return next;
}
