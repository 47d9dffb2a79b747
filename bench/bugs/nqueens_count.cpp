// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 100
//
// N queens on a task pool whose workers share one stack of tasks behind a lock. A task is a board with some
// rows filled; it makes a task for each place where the next row's queen can stand.
//
// The bug: solutions are counted by a load and a store, and two may be counted as one. There are few
// solutions among many tasks.
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <vector>

#include "threads.hpp"

constexpr unsigned kSize = 5;
constexpr int kSolutions = 10;
constexpr unsigned kAll = (1U << kSize) - 1;

// Columns that are taken, and diagonals as they meet the next row.
struct Board {
  unsigned columns = 0, left = 0, right = 0;
};

class Pool {
 public:
  void spawn(Board board) {
    pending_.fetch_add(1);
    std::lock_guard lock(mutex_);
    tasks_.push_back(board);
    waiting_.fetch_add(1);
  }

  void work() {
    while (pending_.load() > 0) {
      if (waiting_.load() == 0) continue;
      if (std::optional<Board> board = take()) {
        expand(*board);
        pending_.fetch_sub(1);
      }
    }
  }

  int solutions() const { return solutions_.load(); }

 private:
  std::optional<Board> take() {
    std::lock_guard lock(mutex_);
    if (tasks_.empty()) return std::nullopt;
    const Board board = tasks_.back();
    tasks_.pop_back();
    waiting_.fetch_sub(1);
    return board;
  }

  void expand(Board board) {
    if (board.columns == kAll) return count();
    for (unsigned queen = 1; queen <= kAll; queen <<= 1) {
      if ((queen & (board.columns | board.left | board.right)) != 0) continue;
      spawn({board.columns | queen, (board.left | queen) << 1, (board.right | queen) >> 1});
    }
  }

  void count() {
#ifdef FIXED
    solutions_.fetch_add(1);
#else
    solutions_.store(solutions_.load() + 1);
#endif
  }

  std::mutex mutex_;
  std::vector<Board> tasks_;
  std::atomic<int> waiting_{0};  // in tasks_
  std::atomic<int> pending_{0};  // waiting or running
  std::atomic<int> solutions_{0};
};

Pool pool;

int main() {
  pool.spawn({});
  run_together([] { pool.work(); }, [] { pool.work(); });
  assert(pool.solutions() == kSolutions);
}
