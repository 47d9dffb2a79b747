// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=2
//
// The queue of work_stealing_queue.cpp with a bug. The owner gives up without asking for the lock
// while the thief backs off too, so the last item is lost.
#define BUG 3
#include "work_stealing_queue.cpp"
