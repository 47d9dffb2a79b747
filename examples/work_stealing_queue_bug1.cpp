// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// The queue of work_stealing_queue.cpp with a bug.
// The owner reads the head before it lowers the tail, so owner and thief both take the last item.
#define BUG 1
#include "work_stealing_queue.cpp"
