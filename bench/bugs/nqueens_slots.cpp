// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// N queens on a pool whose tasks are numbers of boards; the boards lie in a table, and a free list says which
// of them are in use.
//
// The bug: a worker that begins a task gives its board back before it has copied it. Another worker may get
// the board for a new task, and write over it.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <vector>

#include "threads.hpp"

constexpr unsigned kSize = 4;
constexpr int kSolutions = 2;
constexpr unsigned kAll = (1U << kSize) - 1;
constexpr std::size_t kBoards = 16;

struct Board {
  std::atomic<unsigned> columns{0}, left{0}, right{0};
};

class NumberList {
 public:
  void push(std::size_t number) {
    std::lock_guard lock(mutex_);
    numbers_.push_back(number);
    size_.fetch_add(1);
  }
  std::optional<std::size_t> pop() {
    if (size_.load() == 0) return std::nullopt;
    std::lock_guard lock(mutex_);
    if (numbers_.empty()) return std::nullopt;
    const std::size_t number = numbers_.back();
    numbers_.pop_back();
    size_.fetch_sub(1);
    return number;
  }

 private:
  std::mutex mutex_;
  std::vector<std::size_t> numbers_;
  std::atomic<int> size_{0};  // of numbers_, for those who have not the lock
};

NumberList free_boards;
NumberList tasks;
std::array<Board, kBoards> boards;
std::atomic<int> pending{0};
std::atomic<int> solutions{0};

void spawn(unsigned columns, unsigned left, unsigned right) {
  pending.fetch_add(1);
  const std::size_t number = free_boards.pop().value();
  boards[number].columns = columns;
  boards[number].left = left;
  boards[number].right = right;
  tasks.push(number);
}

void run(std::size_t number) {
#ifndef FIXED
  free_boards.push(number);
#endif
  const unsigned columns = boards[number].columns;
  const unsigned left = boards[number].left;
  const unsigned right = boards[number].right;
#ifdef FIXED
  free_boards.push(number);
#endif
  if (columns == kAll) solutions.fetch_add(1);
  for (unsigned queen = 1; queen <= kAll; queen <<= 1) {
    if ((queen & (columns | left | right)) != 0) continue;
    spawn(columns | queen, (left | queen) << 1, (right | queen) >> 1);
  }
}

void work() {
  while (pending.load() > 0) {
    const std::optional<std::size_t> number = tasks.pop();
    if (!number) continue;
    run(*number);
    pending.fetch_sub(1);
  }
}

int main() {
  for (std::size_t number = 0; number < kBoards; ++number) free_boards.push(number);
  spawn(0, 0, 0);
  run_together(work, work);
  assert(solutions.load() == kSolutions);
}
