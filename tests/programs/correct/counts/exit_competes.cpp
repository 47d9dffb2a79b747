// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 4
// compilers: same
//
// Main detaches a thread of n = 3 operations and returns. The process exit is an operation of
// main's that competes with them, and ends the execution: it comes after 0, 1, 2 or 3 of them, n +
// 1 = 4 executions.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  std::thread([] {
    for (int i = 0; i < 3; ++i) x.fetch_add(1);
  }).detach();
}
