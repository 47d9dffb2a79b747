// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 20
// count icb 0: 2
// count icb 1: 4
// count icb 2: 8
// compilers: same
//
// Two threads of n = 3 and m = 3 operations: C(6,3) = 20 interleavings. One of r >= 2 runs of
// operations of one thread has r - 2 preemptions, since the last switch leaves a thread that has
// ended; n operations fall into k runs in C(n-1, k-1) ways. So with c preemptions:
//   c = 0: 2;  c = 1: (n-1) + (m-1) = 4;  c = 2: 2 (n-1)(m-1) = 8;  then 4 and 2, together 20.
#include <atomic>
#include <thread>

std::atomic<int> x;
std::atomic<int> y;

int main() {
  std::thread first([] {
    x = 1;
    x = 2;
    x = 3;
  });
  std::thread second([] {
    y = 1;
    y = 2;
    y = 3;
  });
  first.join();
  second.join();
}
