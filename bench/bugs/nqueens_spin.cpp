// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: livelock
// quick: --strategy icb --executions 100
//
// N queens on a pool with a fixed number of slots for tasks. A worker that finds no task spins until there is
// one or until all are done.
//
// The bug: that a task is done is told by a load and a store of their number. Where two are told at once, one
// is lost, and all workers wait for it for ever.
#include <array>
#include <atomic>
#include <cassert>

#include "threads.hpp"

constexpr unsigned kSize = 4;
constexpr int kSolutions = 2;
constexpr unsigned kAll = (1U << kSize) - 1;

// Columns that are taken, and diagonals as they meet the next row, a byte each; never 0.
using Board = unsigned;
constexpr Board board_of(unsigned columns, unsigned left, unsigned right) {
  return 1U << 24 | (columns & 255) << 16 | (left & 255) << 8 | (right & 255);
}

class Pool {
 public:
  void spawn(Board board) {
    spawned_.fetch_add(1);
    for (std::size_t i = 0;; i = (i + 1) % slots_.size()) {
      Board none = 0;
      if (slots_[i].compare_exchange_strong(none, board)) return;
    }
  }

  void work() {
    while (done_.load() != spawned_.load()) {
      const Board board = take();
      if (board == 0) continue;
      expand(board >> 16 & 255, board >> 8 & 255, board & 255);
#ifdef FIXED
      done_.fetch_add(1);
#else
      done_.store(done_.load() + 1);
#endif
    }
  }

  int solutions() const { return solutions_.load(); }

 private:
  // 0: there is none.
  Board take() {
    for (auto& slot : slots_) {
      if (slot.load() == 0) continue;
      if (const Board board = slot.exchange(0)) return board;
    }
    return 0;
  }

  void expand(unsigned columns, unsigned left, unsigned right) {
    if (columns == kAll) solutions_.fetch_add(1);
    for (unsigned queen = 1; queen <= kAll; queen <<= 1) {
      if ((queen & (columns | left | right)) != 0) continue;
      spawn(board_of(columns | queen, (left | queen) << 1, (right | queen) >> 1));
    }
  }

  std::array<std::atomic<Board>, 8> slots_;
  std::atomic<int> spawned_{0};
  std::atomic<int> done_{0};
  std::atomic<int> solutions_{0};
};

Pool pool;

int main() {
  pool.spawn(board_of(0, 0, 0));
  run_together([] { pool.work(); }, [] { pool.work(); });
  assert(pool.solutions() == kSolutions);
}
