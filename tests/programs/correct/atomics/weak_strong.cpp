// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: same
//
// Weak and strong compare-exchange with separate orders for success and failure.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x{0};

int main() {
  std::thread weak([] {
    int seen = x.load(std::memory_order_relaxed);
    while (!x.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
  });
  std::thread strong([] {
    int seen = 0;
    if (!x.compare_exchange_strong(seen, 10, std::memory_order_release, std::memory_order_acquire)) {
      assert(seen == 1);
    }
  });
  weak.join();
  strong.join();
  assert(x == 1 || x == 11);
}
