// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 60
// count icb 0: 6
// compilers: same
//
// Threads of 1, 2 and 3 operations: 6! / (1! 2! 3!) = 60; 3! = 6 without a preemption.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  const auto count = [](int n) {
    for (int i = 0; i < n; ++i) x.fetch_add(1);
  };
  std::thread first(count, 1);
  std::thread second(count, 2);
  std::thread third(count, 3);
  first.join();
  second.join();
  third.join();
}
