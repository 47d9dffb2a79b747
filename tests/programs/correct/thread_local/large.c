// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Thread-local storage of several megabytes: each thread of each execution begins with its initial content.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>

#include "../../cases.h"

#define SIZE 3000000

static _Thread_local char large[SIZE] = {1};
static _Alignas(4096) _Thread_local char aligned[64];
static atomic_int value;

static void* work(void* argument) {
  assert(large[0] == 1 && large[SIZE / 2] == 0 && large[SIZE - 1] == 0);
  assert(((uintptr_t)aligned & 4095) == 0);
  large[0] = large[SIZE / 2] = large[SIZE - 1] = 5;
  atomic_fetch_add(&value, 1);
  assert(large[0] == 5 && large[SIZE / 2] == 5 && large[SIZE - 1] == 5);
  return argument;
}

int main(void) {
  run_two(work, work);
  work(NULL);
  assert(value == 3);
}
