// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: inconclusive
// args: --steps 100000
//
// A thread that never stops and has instrumented accesses but no scheduling point: steps are
// counted in instrumented operations, so it is cut too.
#include <thread>

unsigned cells[256];

int main() {
  std::thread endless([] {
    for (unsigned i = 0;; ++i) {
      cells[i % 256] += i;
      asm volatile("" ::: "memory");
    }
  });
  endless.join();
}
