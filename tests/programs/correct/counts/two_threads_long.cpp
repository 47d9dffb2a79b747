// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 12870
// count icb 0: 2
// count icb 1: 14
// count icb 2: 98
// count icb 3: 294
// compilers: same
//
// n = m = 8 operations: C(16,8) = 12870. With c preemptions (two_threads.cpp): 2; 7 + 7 = 14; 2 7 7
// = 98; and with three, 5 runs, 3 of the one thread and 2 of the other: 2 C(7,2) 7 = 294.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  const auto count = [] {
    for (int i = 0; i < 8; ++i) x.fetch_add(1);
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
}
