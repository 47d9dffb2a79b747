// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=0
//
// abort() without an assertion.
#include <atomic>
#include <cstdlib>
#include <thread>

std::atomic<int> x{0};

int main() {
  std::thread setter([] { x = 1; });
  std::thread checker([] {
    if (x == 0) std::abort();
  });
  setter.join();
  checker.join();
}
