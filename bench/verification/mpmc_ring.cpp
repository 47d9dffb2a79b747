// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 142 + 396 in vain
// peers P1 C1 (-DPRODUCERS=1 -DCONSUMERS=1 -DPUSHES=1): 2
// peers P2 C1 (-DPRODUCERS=2 -DCONSUMERS=1 -DPUSHES=1): 4 + 10 in vain
// peers P1 C2 (-DPRODUCERS=1 -DCONSUMERS=2 -DPUSHES=1): 5 + 4 in vain
// peers P2 C2 (-DPRODUCERS=2 -DCONSUMERS=2 -DPUSHES=1): 14 + 60 in vain
//
// A bounded ring for many producers and consumers, after Vyukov, with two cells: each cell has a sequence
// number, which says whose turn it is. Two threads push two values each, two pop one each.
#include <array>
#include <atomic>

#include "run.hpp"

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef PUSHES  // of each producer
#define PUSHES 2
#endif
constexpr std::size_t kCells = 2;

struct Cell {
  std::atomic<std::size_t> sequence{0};
  int value = 0;
};

struct State {
  std::array<Cell, kCells> cells;
  std::atomic<std::size_t> push_at{0};
  std::atomic<std::size_t> pop_at{0};
  std::array<std::atomic<bool>, PRODUCERS * PUSHES + 1> popped{};  // by value

  State() {
    for (std::size_t i = 0; i < kCells; ++i) cells[i].sequence = i;
  }

  bool push(int value) {
    std::size_t at = push_at;
    while (true) {
      Cell& cell = cells[at % kCells];
      const std::size_t sequence = cell.sequence;
      if (sequence < at) return false;
      if (sequence > at) {
        at = push_at;
      } else if (push_at.compare_exchange_strong(at, at + 1)) {
        cell.value = value;
        cell.sequence = at + 1;
        return true;
      }
    }
  }

  int pop() {  // 0: it is empty
    std::size_t at = pop_at;
    while (true) {
      Cell& cell = cells[at % kCells];
      const std::size_t sequence = cell.sequence;
      if (sequence < at + 1) return 0;
      if (sequence > at + 1) {
        at = pop_at;
      } else if (pop_at.compare_exchange_strong(at, at + 1)) {
        const int value = cell.value;
        cell.sequence = at + kCells;
        return value;
      }
    }
  }
};

int main() {
  return run_threads<State>(PRODUCERS + CONSUMERS, [](State& state, int thread) {
    if (thread < PRODUCERS) {
      for (int i = 0; i < PUSHES; ++i) state.push(thread + 1 + i * PRODUCERS);
    } else if (const int value = state.pop(); value != 0) {
      assert(!state.popped[static_cast<std::size_t>(value)].exchange(true));
    }
  });
}
