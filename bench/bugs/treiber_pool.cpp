// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A pool of buffers whose free list is a stack without locks, linked by indices.
//
// The bug: the top of the stack has no count of changes. Who has read the top and its successor, and is
// overtaken by two who take both and one who gives the top back, makes a buffer the top that is in use (the
// ABA problem).
#include <array>
#include <atomic>
#include <cassert>

#include "threads.hpp"

constexpr int kBuffers = 3;
constexpr int kNone = -1;

class FreeList {
 public:
  void push(int buffer) {
    Top top = top_.load();
    do {
      next_[static_cast<std::size_t>(buffer)].store(index_of(top));
    } while (!top_.compare_exchange_strong(top, changed(top, buffer)));
  }

  // kNone where no buffer is free.
  int pop() {
    Top top = top_.load();
    while (index_of(top) != kNone) {
      const int next = next_[static_cast<std::size_t>(index_of(top))].load();
      if (top_.compare_exchange_strong(top, changed(top, next))) return index_of(top);
    }
    return kNone;
  }

 private:
  using Top = long;  // an index, and in the fixed form a count of changes above it
  static constexpr Top kUnit = 16;
  static int index_of(Top top) { return static_cast<int>(top % kUnit) - 1; }
#ifdef FIXED
  static Top changed(Top top, int index) { return (top / kUnit + 1) * kUnit + index + 1; }
#else
  static Top changed(Top, int index) { return index + 1; }
#endif

  std::atomic<Top> top_{0};
  std::array<std::atomic<int>, kBuffers> next_;
};

FreeList free_list;
std::array<std::atomic<bool>, kBuffers> in_use;

int take() {
  const int buffer = free_list.pop();
  const bool again = buffer != kNone && in_use[static_cast<std::size_t>(buffer)].exchange(true);
  assert(!again);
  return buffer;
}

void give_back(int buffer) {
  if (buffer == kNone) return;
  in_use[static_cast<std::size_t>(buffer)].store(false);
  free_list.push(buffer);
}

// Takes two, and gives them back in the same order.
void use_two() {
  const int first = take();
  const int second = take();
  give_back(first);
  give_back(second);
}

int main() {
  for (int buffer = 0; buffer < kBuffers; ++buffer) free_list.push(buffer);
  run_together(use_two, use_two);
}
