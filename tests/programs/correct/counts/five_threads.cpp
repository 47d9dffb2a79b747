// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 120
// count icb 0: 120
// compilers: same
//
// Five threads of one operation each: 5! = 120 orders, none with a preemption, since a thread that
// is left has always ended.
#include <atomic>
#include <thread>
#include <vector>

std::atomic<int> x;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) threads.emplace_back([] { x.fetch_add(1); });
  for (std::thread& thread : threads) thread.join();
}
