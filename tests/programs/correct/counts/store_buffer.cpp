// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 6
// count icb 0: 2
// count icb 1: 2
// count icb 2: 2
// compilers: same
//
// Store buffering, two operations each: C(4,2) = 6. Under sequential consistency the two loads are
// never both 0.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x;
std::atomic<int> y;

int main() {
  int seen_y = -1;
  int seen_x = -1;
  std::thread first([&] {
    x = 1;
    seen_y = y;
  });
  std::thread second([&] {
    y = 1;
    seen_x = x;
  });
  first.join();
  second.join();
  assert(seen_x == 1 || seen_y == 1);
}
