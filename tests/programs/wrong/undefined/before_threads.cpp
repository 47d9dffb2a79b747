// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug undefined-behaviour preemptions=0
// flags: -fsanitize=undefined
#include <climits>
#include <thread>

volatile int largest = INT_MAX;

int main() {
  largest = largest + 1;
  std::thread([] {}).join();
}
