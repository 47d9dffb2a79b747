// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy random --seed 1 --executions 100
//
// A slim semaphore: who finds the count above zero takes one without the lock; the lock and the condition
// variable are for those who have to wait.
//
// The bug: to look at the count and to take from it are two steps, so two threads may take the last one.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>

#include "threads.hpp"

class SemaphoreSlim {
 public:
  explicit SemaphoreSlim(int count) : count_(count) {}

  void acquire() {
    if (try_acquire()) return;
    std::unique_lock lock(mutex_);
    ++waiters_;
    released_.wait(lock, [this] { return try_acquire(); });
    --waiters_;
  }

  bool try_acquire() {
#ifdef FIXED
    int count = count_.load();
    while (count > 0) {
      if (count_.compare_exchange_strong(count, count - 1)) return true;
    }
    return false;
#else
    if (count_.load() <= 0) return false;
    count_.fetch_sub(1);
    return true;
#endif
  }

  void release() {
    std::lock_guard lock(mutex_);
    count_.fetch_add(1);
    if (waiters_ > 0) released_.notify_one();
  }

 private:
  std::atomic<int> count_;
  std::mutex mutex_;
  std::condition_variable released_;
  int waiters_ = 0;
};

constexpr int kPermits = 2;

SemaphoreSlim semaphore(kPermits);
std::atomic<int> inside{0};

void use_twice() {
  for (int round = 0; round < 2; ++round) {
    semaphore.acquire();
    const int others = inside.fetch_add(1);
    assert(others < kPermits);
    inside.fetch_sub(1);
    semaphore.release();
  }
}

int main() {
  run_together(use_twice, use_twice, use_twice);
  int free = 0;
  while (semaphore.try_acquire()) ++free;
  assert(free == kPermits);
}
