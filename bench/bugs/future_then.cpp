// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deadlock
// quick: --strategy icb --executions 100
//
// Futures with continuations: `then` runs its function when the value is there, at once or by whoever sets
// it. The test chains several of them and sleeps until the end of the chain has run.
//
// The bug: `then` looks whether the value is there, and then leaves the continuation. If the value is set in
// between, nobody runs it.
#include <array>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "threads.hpp"

class Future {
 public:
  using Continuation = std::function<void(int)>;

  void set_value(int value) {
    value_.store(value);
    is_ready_.store(true);
    run_continuation();
  }

  // Once.
  void then(Continuation continuation) {
    continuation_ = std::move(continuation);
#ifdef FIXED
    has_continuation_.store(true);
    if (is_ready_.load()) run_continuation();
#else
    if (is_ready_.load()) return continuation_(value_.load());
    has_continuation_.store(true);
#endif
  }

 private:
  void run_continuation() {
    if (has_continuation_.exchange(false)) continuation_(value_.load());
  }

  std::atomic<int> value_{0};
  std::atomic<bool> is_ready_{false};
  std::atomic<bool> has_continuation_{false};
  Continuation continuation_;  // published by has_continuation_
};

class Event {
 public:
  void set() {
    std::lock_guard lock(mutex_);
    is_set_ = true;
    was_set_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    was_set_.wait(lock, [this] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable was_set_;
  bool is_set_ = false;
};

constexpr std::size_t kLength = 6;

std::array<Future, kLength> futures;
Event finished;

int main() {
  run_together([] { futures[0].set_value(1); },
               [] {
                 for (std::size_t i = 1; i < kLength; ++i)
                   futures[i - 1].then([i](int value) { futures[i].set_value(value + 1); });
                 futures[kLength - 1].then([](int value) {
                   assert(value == kLength);
                   finished.set();
                 });
                 finished.wait();
               });
}
