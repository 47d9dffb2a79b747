// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 20
// compilers: same
//
// Main joins a thread of n = 2 operations and then does one itself, beside a thread of m = 3.
// Main's operation comes after the last of the first thread, so that the two are one sequence of n
// + 1 = 3 operations: C(6,3) = 20. A thread without an operation ends where it starts, and changes
// nothing.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  std::thread idle([] {});
  std::thread first([] {
    x.fetch_add(1);
    x.fetch_add(1);
  });
  std::thread second([] {
    for (int i = 0; i < 3; ++i) x.fetch_add(1);
  });
  first.join();
  x.fetch_add(1);
  second.join();
  idle.join();
}
