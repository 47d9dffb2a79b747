// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 1
// compilers: same
//
// Main alone: nothing to choose, one execution.
#include <atomic>
#include <cassert>

std::atomic<int> x;

int main() {
  x.fetch_add(1);
  x.fetch_add(1);
  assert(x.load() == 2);
}
