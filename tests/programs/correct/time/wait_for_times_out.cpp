// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// wait_for on a condition that never comes: it times out, and the clock stands at the deadline or
// after.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable never;

int main() {
  std::thread waiter([] {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex);
    while (never.wait_for(lock, std::chrono::seconds(1)) == std::cv_status::no_timeout) {
    }
    assert(std::chrono::steady_clock::now() - start >= std::chrono::seconds(1));
  });
  waiter.join();
}
