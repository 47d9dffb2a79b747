// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deadlock
// quick: --strategy icb --executions 50000
//
// A slim event that stays set until it is reset. Who waits spins a little and then sleeps; who sets it takes
// the lock only if somebody sleeps. Two threads play ping-pong with two of them.
//
// The bug: a waiter looks at the event a last time before it announces itself. Who sets the event between the
// two sees no waiter and wakes nobody.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "threads.hpp"

class ManualResetEventSlim {
 public:
  void set() {
    is_set_.store(true);
    if (waiters_.load() == 0) return;
    std::lock_guard lock(mutex_);
    was_set_.notify_all();
  }

  void reset() { is_set_.store(false); }

  void wait() {
    for (int spins = 0; spins < 2; ++spins) {
      if (is_set_.load()) return;
      std::this_thread::yield();
    }
    std::unique_lock lock(mutex_);
#ifdef FIXED
    waiters_.fetch_add(1);
    while (!is_set_.load()) was_set_.wait(lock);
    waiters_.fetch_sub(1);
#else
    while (!is_set_.load()) {
      waiters_.fetch_add(1);
      was_set_.wait(lock);
      waiters_.fetch_sub(1);
    }
#endif
  }

 private:
  std::atomic<bool> is_set_{false};
  std::atomic<int> waiters_{0};
  std::mutex mutex_;
  std::condition_variable was_set_;
};

constexpr int kRounds = 4;

ManualResetEventSlim ping, pong;

int main() {
  run_together(
      [] {
        for (int round = 0; round < kRounds; ++round) {
          ping.set();
          pong.wait();
          pong.reset();
        }
      },
      [] {
        for (int round = 0; round < kRounds; ++round) {
          ping.wait();
          ping.reset();
          pong.set();
        }
      });
}
