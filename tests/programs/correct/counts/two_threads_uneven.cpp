// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 21
// count icb 0: 2
// count icb 1: 5
// count icb 2: 8
// compilers: same
//
// n = 2 and m = 5 operations: C(7,2) = 21. By two_threads.cpp, 2 executions without a preemption,
// (n-1) + (m-1) = 5 with one, 2 (n-1)(m-1) = 8 with two.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  std::thread first([] {
    for (int i = 0; i < 2; ++i) x.fetch_add(1);
  });
  std::thread second([] {
    for (int i = 0; i < 5; ++i) x.fetch_add(1);
  });
  first.join();
  second.join();
}
