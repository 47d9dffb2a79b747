// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=0
//
// No thread, and a failing assertion.
#include <assert.h>

int main(void) {
  volatile int x = 1;
  assert(x == 2);
  return 0;
}
