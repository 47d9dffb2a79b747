// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 90
// count icb 0: 6
// compilers: same
//
// Three threads with two lock sections each, with an operation inside: the sections interleave as
// wholes, 6! / (2! 2! 2!) = 90. Without a preemption one thread follows the other: 3! = 6.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
std::atomic<int> counter;

int main() {
  const auto count = [] {
    for (int i = 0; i < 2; ++i) {
      std::lock_guard guard(mutex);
      counter.fetch_add(1);
    }
  };
  std::thread first(count);
  std::thread second(count);
  std::thread third(count);
  first.join();
  second.join();
  third.join();
  assert(counter.load() == 6);
}
