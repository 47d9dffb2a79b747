// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy random --seed 1 --executions 100
//
// N queens on a work-stealing pool: each worker has a list of tasks behind a lock of its own, takes the
// newest, and when it has none left steals the oldest of another worker.
//
// The bug: a thief looks at the oldest task and removes the oldest task, but gives the lock up in between.
// The two may not be the same: one task is run twice, and another one never.
#include <array>
#include <atomic>
#include <cassert>
#include <deque>
#include <mutex>
#include <optional>

#include "threads.hpp"

constexpr unsigned kSize = 4;
constexpr int kSolutions = 2;
constexpr unsigned kAll = (1U << kSize) - 1;

// Columns that are taken, and diagonals as they meet the next row.
struct Board {
  unsigned columns = 0, left = 0, right = 0;
};

class TaskList {
 public:
  void push(Board board) {
    std::lock_guard lock(mutex_);
    tasks_.push_back(board);
    size_.fetch_add(1);
  }

  std::optional<Board> pop() {
    if (size_.load() == 0) return std::nullopt;
    std::lock_guard lock(mutex_);
    if (tasks_.empty()) return std::nullopt;
    const Board board = tasks_.back();
    tasks_.pop_back();
    size_.fetch_sub(1);
    return board;
  }

  std::optional<Board> steal() {
    if (size_.load() == 0) return std::nullopt;
    std::unique_lock lock(mutex_);
    if (tasks_.empty()) return std::nullopt;
    const Board board = tasks_.front();
#ifndef FIXED
    lock.unlock();
    lock.lock();
    if (tasks_.empty()) return std::nullopt;
#endif
    tasks_.pop_front();
    size_.fetch_sub(1);
    return board;
  }

 private:
  std::mutex mutex_;
  std::deque<Board> tasks_;
  std::atomic<int> size_{0};  // of tasks_, for those who have not the lock
};

constexpr std::size_t kWorkers = 3;

std::array<TaskList, kWorkers> lists;
std::atomic<int> pending{0};
std::atomic<int> solutions{0};

void spawn(std::size_t self, Board board) {
  pending.fetch_add(1);
  lists[self].push(board);
}

void expand(std::size_t self, Board board) {
  if (board.columns == kAll) solutions.fetch_add(1);
  for (unsigned queen = 1; queen <= kAll; queen <<= 1) {
    if ((queen & (board.columns | board.left | board.right)) != 0) continue;
    spawn(self, {board.columns | queen, (board.left | queen) << 1, (board.right | queen) >> 1});
  }
}

void work(std::size_t self) {
  while (pending.load() > 0) {
    std::optional<Board> board = lists[self].pop();
    for (std::size_t i = 1; !board && i < kWorkers; ++i) board = lists[(self + i) % kWorkers].steal();
    if (!board) continue;
    expand(self, *board);
    pending.fetch_sub(1);
  }
}

int main() {
  spawn(0, {});
  run_together([] { work(0); }, [] { work(1); }, [] { work(2); });
  assert(solutions.load() == kSolutions);
}
