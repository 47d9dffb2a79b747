// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug hang preemptions=0
// slow: yes
// args: --hang 1
//
// A thread that never stops and has no instrumented operation.
#include <thread>

int main() {
  std::thread endless([] {
    for (;;) asm volatile("");
  });
  endless.join();
}
