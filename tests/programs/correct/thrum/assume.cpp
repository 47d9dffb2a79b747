// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// What is assumed away does not count.
#include <thrum/thrum.h>

#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> x{0};
  std::thread thread([&] { x = 1; });
  thrum_assume(x == 0);
  thread.join();
  assert(thrum_choose(2) == 0 || x == 1);
}
