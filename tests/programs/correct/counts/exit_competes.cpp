// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 10
// compilers: same
//
// Main detaches a thread of n = 3 operations and returns. Detaching it and the process exit are operations
// of main's that compete with them, and the exit ends the execution: the two come, in this order, after
// p <= q of the three, C(n + 2, 2) = 10 executions.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  std::thread([] {
    for (int i = 0; i < 3; ++i) x.fetch_add(1);
  }).detach();
}
