// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug data-race preemptions=1
//
// The queue of work_stealing_queue.cpp with a bug. The owner pushes into the slot that a thief is
// about to read, so one item is lost and another taken twice.
#define BUG 2
#include "work_stealing_queue.cpp"
