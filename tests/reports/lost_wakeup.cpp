// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flag is looked at before the lock is taken: a wake-up in between is lost.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class Gate {
 public:
  void open() {
    open_ = true;
    std::lock_guard lock(mutex_);
    opened_.notify_all();
  }
  void pass() {
    if (open_) return;
    std::unique_lock lock(mutex_);
    opened_.wait(lock);
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  std::atomic<bool> open_{false};
};

int main() {
  Gate gate;
  std::thread visitor([&] { gate.pass(); });
  gate.open();
  visitor.join();
}
