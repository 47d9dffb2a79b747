// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flag is set by a relaxed store, which tells nobody of the write before it.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

int answer = 0;
std::atomic<bool> ready = false;
std::mutex printing;

void reckon() {
  answer = 42;
  ready.store(true, std::memory_order_relaxed);
}

int main() {
  std::thread thread(reckon);
  if (ready.load(std::memory_order_acquire)) {
    std::lock_guard guard(printing);
    assert(answer == 42);
  }
  thread.join();
}
