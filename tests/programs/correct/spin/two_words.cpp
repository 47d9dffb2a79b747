// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A waiting loop that reads two words: a write of either ends the wait.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> done{false};
std::atomic<bool> cancelled{false};

int main() {
  std::thread waiter([] {
    while (!done && !cancelled) {
    }
  });
  std::thread canceller([] { cancelled = true; });
  waiter.join();
  canceller.join();
  assert(!done && cancelled);
}
