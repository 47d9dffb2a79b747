// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bound: none
// executions: 8
//
// A producer hands two items to a consumer through one place: 13 to 19 visible operations an
// execution, 16 on average (per item and thread a lock, a signal and an unlock, and two more where
// it waits; then process exit).
//
// Everything happens under one mutex, so that only the order of the sections counts. Let a(n) be
// the number of executions from an empty place with n items to go and nobody asleep. Either the
// producer puts at once, or the consumer goes to sleep first and the producer, alone, wakes it;
// both lead to a full place, with both threads at the mutex: a(n) = 2 b(n). From there likewise
// either the consumer takes at once, or the producer goes to sleep first, unless it has ended: b(n)
// = 2 a(n-1), b(1) = 1. So a(n) = 2^(2n-1), and a(2) = 8.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

constexpr int kItems = 2;

std::mutex mutex;
std::condition_variable changed;
bool full = false;
int sum = 0;

int main() {
  std::thread producer([] {
    for (int i = 0; i < kItems; ++i) {
      std::unique_lock lock(mutex);
      while (full) changed.wait(lock);
      full = true;
      changed.notify_one();
    }
  });
  std::thread consumer([] {
    for (int i = 0; i < kItems; ++i) {
      std::unique_lock lock(mutex);
      while (!full) changed.wait(lock);
      full = false;
      ++sum;
      changed.notify_one();
    }
  });
  producer.join();
  consumer.join();
  assert(sum == kItems);
}
