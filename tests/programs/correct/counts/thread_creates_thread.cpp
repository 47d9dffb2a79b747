// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 126
// compilers: same
//
// Main does k = 2 operations; its child does p = 1, creates a grandchild of m = 2, does q = 2 more
// and joins it. Child and grandchild interleave in C(q+m, m) = C(4,2) = 6 ways, all after the
// child's first operation, and main's k operations fall anywhere among their p+q+m = 5: C(7,2) =
// 21. Together 6 * 21 = 126.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  std::thread child([] {
    x.fetch_add(1);
    std::thread grandchild([] {
      x.fetch_add(1);
      x.fetch_add(1);
    });
    x.fetch_add(1);
    x.fetch_add(1);
    grandchild.join();
  });
  x.fetch_add(1);
  x.fetch_add(1);
  child.join();
}
