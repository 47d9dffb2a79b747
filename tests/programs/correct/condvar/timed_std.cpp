// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// wait_for either sees the flag or times out; both happen, and in both the predicate's value is
// right.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using Clock = std::chrono::steady_clock;

std::mutex mutex;
std::condition_variable changed;
bool ready = false;

void wait_a_second() {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  std::unique_lock lock(mutex);
  const bool seen = changed.wait_until(lock, deadline, [] { return ready; });
  assert(seen == ready);
  assert(seen || Clock::now() >= deadline);
}

int main() {
  std::thread waiter(wait_a_second);
  {
    std::lock_guard guard(mutex);
    ready = true;
  }
  changed.notify_one();
  waiter.join();
}
