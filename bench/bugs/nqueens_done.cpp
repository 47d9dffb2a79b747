// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 100
//
// N queens on a task pool that tells by itself when the work is done: there are no tasks left, and no worker
// is active. The caller sleeps until then, and reads the number of solutions.
//
// The bug: a worker that has taken a task becomes active after it has given up the lock. In between nothing
// seems to be left to do.
#include <atomic>
#include <cassert>
#include <condition_variable>
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
    std::lock_guard lock(mutex_);
    tasks_.push_back(board);
    changed_.notify_one();
  }

  void work() {
    while (std::optional<Board> board = take()) {
      expand(*board);
      std::lock_guard lock(mutex_);
      if (active_.fetch_sub(1) == 1 && tasks_.empty()) changed_.notify_all();
    }
  }

  // Until all tasks are done; then the workers end.
  int wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_done(); });
    changed_.notify_all();
    return solutions_.load();
  }

 private:
  bool is_done() const { return tasks_.empty() && active_.load() == 0; }

  std::optional<Board> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !tasks_.empty() || is_done(); });
    if (tasks_.empty()) return std::nullopt;
    const Board board = tasks_.back();
    tasks_.pop_back();
#ifndef FIXED
    lock.unlock();
#endif
    active_.fetch_add(1);
    return board;
  }

  void expand(Board board) {
    if (board.columns == kAll) solutions_.fetch_add(1);
    for (unsigned queen = 1; queen <= kAll; queen <<= 1) {
      if ((queen & (board.columns | board.left | board.right)) != 0) continue;
      spawn({board.columns | queen, (board.left | queen) << 1, (board.right | queen) >> 1});
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Board> tasks_;
  std::atomic<int> active_{0};
  std::atomic<int> solutions_{0};
};

Pool pool;

int main() {
  pool.spawn({});
  run_together([] { pool.work(); }, [] { pool.work(); },
               [] {
                 const int solutions = pool.wait();
                 assert(solutions == kSolutions);
               });
}
