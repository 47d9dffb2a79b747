// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deadlock
// quick: --strategy icb --executions 100
//
// A latch that counts down without a lock, and wakes those who wait when it comes to zero.
//
// The bug: it wakes them without the lock. One who has seen the count above zero and does not sleep yet
// misses it.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "threads.hpp"

class CountdownLatch {
 public:
  explicit CountdownLatch(int count) : count_(count) {}

  void count_down() {
    if (count_.fetch_sub(1) != 1) return;
#ifdef FIXED
    std::lock_guard lock(mutex_);
#endif
    is_zero_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    while (count_.load() != 0) is_zero_.wait(lock);
  }

 private:
  std::atomic<int> count_;
  std::mutex mutex_;
  std::condition_variable is_zero_;
};

CountdownLatch latch(2);

int main() {
  run_together([] { latch.count_down(); }, [] { latch.count_down(); }, [] { latch.wait(); });
}
