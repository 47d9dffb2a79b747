// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=0
//
// A std::thread is destroyed before it is joined: std::terminate without an exception, which
// aborts.
#include <atomic>
#include <thread>

std::atomic<int> x{0};

int main() {
  std::thread forgotten([] { x = 1; });
}
