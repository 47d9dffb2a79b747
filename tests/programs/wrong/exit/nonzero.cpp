// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug nonzero-exit preemptions=1
//
// Main returns 1 where an increment was lost.
#include <atomic>
#include <thread>

std::atomic<int> x{0};

void increment() {
  const int seen = x;
  x = seen + 1;
}

int main() {
  std::thread first(increment);
  std::thread second(increment);
  first.join();
  second.join();
  return x == 2 ? 0 : 1;
}
