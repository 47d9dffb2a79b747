// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What orders two accesses, or says that their race is meant, lies in what most executions have in common.
// compilers: both
// case released: exhausted
// case fences: exhausted
// case locked: exhausted
// case left_out: inconclusive      the program asks not to look at the write
#include <atomic>
#include <mutex>

#include "../../cases.h"

extern "C" {
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
}

static std::atomic<int> steps;
static std::mutex mutex;
static int plain;
int seen;  // not static, or compilers would leave out what nobody reads

static void take_steps(int count, std::memory_order order) {
  for (int i = 0; i < count; ++i) steps.fetch_add(1, order);
}

static void* write_and_release(void*) {
  plain = 1;
  take_steps(1, std::memory_order_release);
  take_steps(4, std::memory_order_relaxed);
  return nullptr;
}
static void* acquire_and_read(void*) {
  if (steps.load(std::memory_order_acquire) >= 3) seen = plain;
  return nullptr;
}
static void run_released() { run_two(write_and_release, acquire_and_read); }

static void* write_behind_a_fence(void*) {
  plain = 1;
  std::atomic_thread_fence(std::memory_order_release);
  take_steps(4, std::memory_order_relaxed);
  return nullptr;
}
static void* read_behind_a_fence(void*) {
  if (steps.load(std::memory_order_relaxed) < 3) return nullptr;
  std::atomic_thread_fence(std::memory_order_acquire);
  seen = plain;
  return nullptr;
}
static void run_fences() { run_two(write_behind_a_fence, read_behind_a_fence); }

static void* write_under_lock(void*) {
  take_steps(2, std::memory_order_relaxed);
  for (int i = 0; i < 2; ++i) {
    std::lock_guard guard(mutex);
    ++plain;
  }
  return nullptr;
}
static void run_locked() {
  run_two(write_under_lock, write_under_lock);
  assert(plain == 4);
}

static void* write_unseen(void*) {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  take_steps(3, std::memory_order_relaxed);
  plain = 1;
  take_steps(1, std::memory_order_relaxed);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  return nullptr;
}
static void* read_it(void*) {
  if (steps.load(std::memory_order_relaxed) == 3) seen = plain;
  return nullptr;
}
static void run_left_out() { run_two(write_unseen, read_it); }

MAIN(CASE(released), CASE(fences), CASE(locked), CASE(left_out))
