// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=1
//
// A test as a closure: two threads take two locks in opposite orders.
#include <thrum/thrum.hpp>

#include <mutex>
#include <thread>

int main() {
  thrum::check([] {
    std::mutex first;
    std::mutex second;
    std::thread other([&] {
      std::lock_guard one(second);
      std::lock_guard two(first);  // reported
    });
    std::unique_lock one(first);
    std::unique_lock two(second);  // reported
    two.unlock();
    one.unlock();
    other.join();  // reported
  });
}
