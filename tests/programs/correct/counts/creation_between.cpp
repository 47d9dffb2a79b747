// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 10
// compilers: same
//
// Main creates a thread of n = 2 operations, does one itself, and creates a thread of m = 2. If i
// operations of the first come before main's, n - i and m are left to interleave. The sum of
// C(n-i+m, m) over i = 0..n is C(n+m+1, m+1) = C(5,3) = 10.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  const auto count = [] {
    x.fetch_add(1);
    x.fetch_add(1);
  };
  std::thread first(count);
  x.fetch_add(1);
  std::thread second(count);
  first.join();
  second.join();
}
