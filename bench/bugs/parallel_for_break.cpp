// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 50000
//
// parallel_for with break: workers claim chunks of a range; an iteration that breaks promises that all
// iterations before it run, and lets those behind it be skipped. The lowest iteration that broke is kept.
//
// The bug: to lower the lowest break is a load and a store. A break at a higher iteration may overwrite one
// at a lower one, which decides early in the loop what is seen at its end.
#include <array>
#include <atomic>
#include <cassert>
#include <functional>

#include "threads.hpp"

class ParallelFor {
 public:
  ParallelFor(int end, int chunk) : end_(end), chunk_(chunk), lowest_break_(end) {}

  void work(const std::function<void(ParallelFor&, int)>& body) {
    for (;;) {
      const int begin = next_.fetch_add(chunk_);
      if (begin >= end_) return;
      for (int i = begin; i < begin + chunk_ && i < end_; ++i) {
        if (i <= lowest_break_.load()) body(*this, i);
      }
    }
  }

  void break_at(int i) {
#ifdef FIXED
    int lowest = lowest_break_.load();
    while (i < lowest && !lowest_break_.compare_exchange_weak(lowest, i)) {
    }
#else
    if (i < lowest_break_.load()) lowest_break_.store(i);
#endif
  }

  int lowest_break() const { return lowest_break_.load(); }

 private:
  const int end_;
  const int chunk_;
  std::atomic<int> next_{0};
  std::atomic<int> lowest_break_;
};

constexpr int kEnd = 400;
constexpr int kChunk = 2;
constexpr int kLowestMatch = 1;
constexpr int kHigherMatch = 2;

ParallelFor loop(kEnd, kChunk);
std::array<std::atomic<int>, kEnd> cells;

// Stands for a search that finds matches near the beginning.
void look_at(ParallelFor& self, int i) {
  if (i == kLowestMatch || i == kHigherMatch) self.break_at(i);
  cells[static_cast<std::size_t>(i)].fetch_add(1);
}

int main() {
  run_together([] { loop.work(look_at); }, [] { loop.work(look_at); }, [] { loop.work(look_at); });
  assert(loop.lowest_break() == kLowestMatch);
  for (int i = 0; i <= kLowestMatch; ++i) assert(cells[static_cast<std::size_t>(i)].load() == 1);
}
