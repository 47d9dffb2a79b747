// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 24481
//
// The deque of Chase and Lev on a buffer that does not grow: its owner pushes three items and pops two, two
// thieves steal twice each. No item is taken twice.
#include <array>
#include <atomic>

#include "run.hpp"

constexpr long kItems = 3;

struct State {
  std::atomic<long> top{0};
  std::atomic<long> bottom{0};
  std::array<std::atomic<long>, kItems> buffer{};
  std::array<std::atomic<bool>, kItems> taken{};

  void take(long item) { assert(!taken[static_cast<std::size_t>(item)].exchange(true)); }
  std::atomic<long>& slot(long index) { return buffer[static_cast<std::size_t>(index % kItems)]; }

  void push(long item) {
    const long last = bottom;
    slot(last) = item;
    bottom = last + 1;
  }

  void pop() {
    const long last = bottom - 1;
    bottom = last;
    long first = top;
    if (first > last) {
      bottom = first;
      return;
    }
    const long item = slot(last);
    if (first == last) {
      const bool won = top.compare_exchange_strong(first, first + 1);
      bottom = last + 1;
      if (!won) return;
    }
    take(item);
  }

  void steal() {
    long first = top;
    if (first >= bottom) return;
    const long item = slot(first);
    if (top.compare_exchange_strong(first, first + 1)) take(item);
  }
};

int main() {
  return run_threads<State>(3, [](State& state, int thread) {
    if (thread == 0) {
      for (long item = 0; item < kItems; ++item) state.push(item);
      state.pop();
      state.pop();
    } else {
      state.steal();
      state.steal();
    }
  });
}
