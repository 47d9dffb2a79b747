// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A timed lock either gets the mutex or times out, and then its deadline has passed.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

using Clock = std::chrono::steady_clock;

std::timed_mutex mutex;
int holders = 0;

void hold() {
  std::lock_guard guard(mutex);
  ++holders;
  std::this_thread::sleep_for(std::chrono::seconds(2));
  --holders;
}

void try_for_a_second() {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  if (mutex.try_lock_until(deadline)) {
    assert(holders == 0);
    mutex.unlock();
  } else {
    assert(Clock::now() >= deadline);
  }
}

int main() {
  std::thread holder(hold);
  std::thread other(try_for_a_second);
  holder.join();
  other.join();
}
