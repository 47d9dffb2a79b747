// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 10000
//
// Lamport's bakery: who wants the lock takes a number above all others, and waits for all with a smaller one.
//
// The bug: nobody can see that a thread is choosing its number. A thread that is choosing seems not to want
// the lock; when it comes with the same number and a smaller name, both are inside.
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>

#include "threads.hpp"

constexpr std::size_t kThreads = 3;

class BakeryLock {
 public:
  void lock(std::size_t self) {
#ifdef FIXED
    choosing_[self].store(true);
#endif
    int highest = 0;
    for (const auto& number : numbers_) highest = std::max(highest, number.load());
    numbers_[self].store(highest + 1);
#ifdef FIXED
    choosing_[self].store(false);
#endif
    for (std::size_t other = 0; other < kThreads; ++other) {
      if (other != self) wait_for(other, self);
    }
  }

  void unlock(std::size_t self) { numbers_[self].store(0); }

 private:
  void wait_for(std::size_t other, std::size_t self) {
    while (choosing_[other].load()) {
    }
    const int mine = numbers_[self].load();
    while (true) {
      const int theirs = numbers_[other].load();
      if (theirs == 0 || theirs > mine || (theirs == mine && other > self)) return;
    }
  }

  std::array<std::atomic<bool>, kThreads> choosing_{};
  std::array<std::atomic<int>, kThreads> numbers_{};
};

constexpr int kRounds = 2;

BakeryLock lock;
std::atomic<int> inside{0};

void work(std::size_t self) {
  for (int round = 0; round < kRounds; ++round) {
    lock.lock(self);
    const int others = inside.fetch_add(1);
    assert(others == 0);
    inside.fetch_sub(1);
    lock.unlock(self);
  }
}

int main() {
  run_together([] { work(0); }, [] { work(1); }, [] { work(2); });
}
