// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy random --seed 1 --executions 100
//
// A bounded ring for many producers and consumers, after Vyukov: each cell has a sequence number, which says
// whose turn it is.
//
// The bug: a consumer passes the cell on to the producers of the next round before it has read its value.
#include <array>
#include <atomic>
#include <cassert>
#include <optional>

#include "threads.hpp"

class Ring {
 public:
  Ring() {
    for (std::size_t i = 0; i < kCells; ++i) cells_[i].sequence.store(i);
  }

  bool try_push(int value) {
    std::size_t at = push_at_.load();
    while (true) {
      Cell& cell = cells_[at % kCells];
      const std::size_t sequence = cell.sequence.load();
      if (sequence < at) return false;
      if (sequence > at) {
        at = push_at_.load();
      } else if (push_at_.compare_exchange_strong(at, at + 1)) {
        cell.value.store(value);
        cell.sequence.store(at + 1);
        return true;
      }
    }
  }

  std::optional<int> try_pop() {
    std::size_t at = pop_at_.load();
    while (true) {
      Cell& cell = cells_[at % kCells];
      const std::size_t sequence = cell.sequence.load();
      if (sequence < at + 1) return std::nullopt;
      if (sequence > at + 1) {
        at = pop_at_.load();
      } else if (pop_at_.compare_exchange_strong(at, at + 1)) {
#ifdef FIXED
        const int value = cell.value.load();
        cell.sequence.store(at + kCells);
#else
        cell.sequence.store(at + kCells);
        const int value = cell.value.load();
#endif
        return value;
      }
    }
  }

 private:
  static constexpr std::size_t kCells = 2;
  struct Cell {
    std::atomic<std::size_t> sequence;
    std::atomic<int> value{0};
  };

  std::array<Cell, kCells> cells_;
  std::atomic<std::size_t> push_at_{0};
  std::atomic<std::size_t> pop_at_{0};
};

constexpr int kValuesOfEach = 6;
constexpr int kProducers = 2;

Ring ring;
std::array<std::atomic<bool>, kProducers * kValuesOfEach> received;

void produce(int self) {
  for (int i = 0; i < kValuesOfEach; ++i) {
    while (!ring.try_push(self * kValuesOfEach + i)) {
    }
  }
}

void consume() {
  for (int i = 0; i < kValuesOfEach; ++i) {
    std::optional<int> value;
    while (!(value = ring.try_pop())) {
    }
    const bool again = received[static_cast<std::size_t>(*value)].exchange(true);
    assert(!again);
  }
}

int main() {
  run_together([] { produce(0); }, [] { produce(1); }, consume, consume);
}
