// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: inconclusive
// args: --steps 10000
//
// A thread that never stops, and changes shared memory each time: cut at --steps.
#include <atomic>
#include <thread>

std::atomic<unsigned> x{0};

int main() {
  std::thread endless([] {
    for (;;) x.fetch_add(1);
  });
  endless.join();
}
