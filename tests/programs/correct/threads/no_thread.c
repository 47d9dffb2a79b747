// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 1
//
// A C program that starts no thread.
#include <stdio.h>

int main(void) {
  puts("no thread");
  return 0;
}
