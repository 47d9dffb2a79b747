// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 50000
//
// A work-stealing deque after Chase and Lev: the owner pushes and pops at the bottom, thieves take from the
// top by compare-exchange. A small parallel job runs its tasks from it.
//
// The bug: the owner takes the last task by moving the top itself, not by winning it from the thieves, so
// that a thief may run the same task.
#include <array>
#include <atomic>
#include <cassert>
#include <optional>

#include "threads.hpp"

class Deque {
 public:
  // Owner only.
  void push(int task) {
    const long bottom = bottom_.load();
    slot(bottom).store(task);
    bottom_.store(bottom + 1);
  }

  // Owner only.
  std::optional<int> pop() {
    const long bottom = bottom_.load() - 1;
    bottom_.store(bottom);
    long top = top_.load();
    if (top > bottom) {
      bottom_.store(bottom + 1);
      return std::nullopt;
    }
    std::optional<int> task = slot(bottom).load();
    if (top == bottom) {
#ifdef FIXED
      if (!top_.compare_exchange_strong(top, top + 1)) task.reset();
#else
      top_.store(top + 1);
#endif
      bottom_.store(bottom + 1);
    }
    return task;
  }

  std::optional<int> steal() {
    long top = top_.load();
    if (top >= bottom_.load()) return std::nullopt;
    const int task = slot(top).load();
    if (!top_.compare_exchange_strong(top, top + 1)) return std::nullopt;
    return task;
  }

 private:
  std::atomic<int>& slot(long index) { return slots_[static_cast<std::size_t>(index) % slots_.size()]; }

  std::array<std::atomic<int>, 8> slots_;
  std::atomic<long> top_{0};
  std::atomic<long> bottom_{0};
};

constexpr int kTasks = 5;

Deque deque;
std::array<std::atomic<bool>, kTasks> ran;

void run(std::optional<int> task) {
  const bool again = task && ran[static_cast<std::size_t>(*task)].exchange(true);
  assert(!again);
}

void own() {
  for (int task = 0; task < kTasks; ++task) {
    deque.push(task);
    if (task % 2 == 1) run(deque.pop());
  }
  while (std::optional<int> task = deque.pop()) run(task);
}

void thieve() {
  for (int attempts = 0; attempts < 2; ++attempts) run(deque.steal());
}

int main() {
  run_together(own, thieve, thieve);
  for (const auto& one : ran) assert(one.load());
}
