// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 90
// count icb 0: 6
// compilers: same
//
// Three threads of two operations: 6! / (2! 2! 2!) = 90. Without a preemption one thread runs after
// the other: 3! = 6 orders.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  const auto count = [] {
    x.fetch_add(1);
    x.fetch_add(1);
  };
  std::thread first(count);
  std::thread second(count);
  std::thread third(count);
  first.join();
  second.join();
  third.join();
}
