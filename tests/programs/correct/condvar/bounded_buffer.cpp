// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A bounded buffer of one place, two producers and one consumer.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Buffer {
 public:
  void put(int item) {
    std::unique_lock lock(mutex_);
    while (full_) changed_.wait(lock);
    item_ = item;
    full_ = true;
    changed_.notify_all();
  }

  int take() {
    std::unique_lock lock(mutex_);
    while (!full_) changed_.wait(lock);
    full_ = false;
    changed_.notify_all();
    return item_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool full_ = false;
  int item_ = 0;
};

int main() {
  Buffer buffer;
  std::thread first([&] { buffer.put(1); });
  std::thread second([&] { buffer.put(2); });
  const int sum = buffer.take() + buffer.take();
  first.join();
  second.join();
  assert(sum == 3);
}
