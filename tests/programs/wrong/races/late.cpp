// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of the two accesses is made in what most executions have in common, the other one in few of them only.
// compilers: both
// plain: no
// case write: bug data-race      a write that nothing passes on
// case fence: bug data-race      likewise, with a fence on one side only
// case stack: bug data-race      a thread's variable is used by one that it does not wait for, and it ends
// case twice: bug data-race      the first of two writes is passed on, the second is not
#include <atomic>

#include "../../cases.h"

static std::atomic<int> steps;
static std::atomic<int*> own;
static int plain;
int seen;  // not static, or compilers would leave out what nobody reads

static void take_steps(int count, std::memory_order order) {
  for (int i = 0; i < count; ++i) steps.fetch_add(1, order);
}

static void* write(void*) {
  plain = 1;  // reported: write
  take_steps(4, std::memory_order_relaxed);
  return nullptr;
}
static void* read_at_3(void*) {
  if (steps.load(std::memory_order_relaxed) == 3) seen = plain;  // reported: write
  return nullptr;
}
static void run_write() { run_two(write, read_at_3); }

static void* write_and_release(void*) {
  plain = 1;  // reported: fence
  std::atomic_thread_fence(std::memory_order_release);
  take_steps(4, std::memory_order_relaxed);
  return nullptr;
}
static void* read_without_acquire(void*) {
  if (steps.load(std::memory_order_relaxed) == 3) seen = plain;  // reported: fence
  return nullptr;
}
static void run_fence() { run_two(write_and_release, read_without_acquire); }

static void* lend(void*) {
  int variable = 0;
  own.store(&variable);
  take_steps(4, std::memory_order_relaxed);
  own.store(nullptr);  // reported: stack
  return nullptr;  // reported: stack
}
static void* use(void*) {
  if (int* theirs = own.load(); theirs && steps.load(std::memory_order_relaxed) == 3)
    *theirs = 1;  // reported: stack
  return nullptr;
}
static void run_stack() { run_two(lend, use); }

static void* write_twice(void*) {
  plain = 1;
  take_steps(2, std::memory_order_release);
  plain = 2;  // reported: twice
  take_steps(2, std::memory_order_relaxed);
  return nullptr;
}
static void* read_twice(void*) {
  if (steps.load(std::memory_order_acquire) != 2) return nullptr;
  seen = plain;  // reported: twice
  return nullptr;
}
static void run_twice() { run_two(write_twice, read_twice); }

MAIN(CASE(write), CASE(fence), CASE(stack), CASE(twice))
