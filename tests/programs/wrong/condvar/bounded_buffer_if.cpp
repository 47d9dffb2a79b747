// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// args: --bound preemptions=2
//
// A bounded buffer whose consumers test once and do not look again after they woke: an `if` in the
// place of a `while`. Another consumer may have been faster.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Buffer {
 public:
  void put(int) {
    std::lock_guard guard(mutex_);
    ++items_;
    added_.notify_one();
  }

  void take() {
    std::unique_lock lock(mutex_);
    if (items_ == 0) added_.wait(lock);
    assert(items_ > 0);
    --items_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  int items_ = 0;
};

int main() {
  Buffer buffer;
  std::thread first([&] { buffer.take(); });
  std::thread second([&] { buffer.take(); });
  std::thread producer([&] {
    buffer.put(1);
    buffer.put(2);
  });
  first.join();
  second.join();
  producer.join();
}
