// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 10
// count icb 0: 1
// count icb 1: 2
// count icb 2: 4
// compilers: same
//
// Main does n = 2 operations between creating a thread of m = 3 and joining it: C(5,2) = 10. Main
// is the running thread at the first choice, so that starting with the other thread is a
// preemption. An execution of r runs has r - 2 preemptions where main starts, r - 1 where the other
// does:
//   c = 0: 1;
//   c = 1: 1 (main in two runs) + 1 = 2;
//   c = 2: 1 * 2 (each in two runs) + 2 (the other in two) = 4.
// The process exit comes last and alone.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  std::thread other([] {
    for (int i = 0; i < 3; ++i) x.fetch_add(1);
  });
  x.fetch_add(1);
  x.fetch_add(1);
  other.join();
}
