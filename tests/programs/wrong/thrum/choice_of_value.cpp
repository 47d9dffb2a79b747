// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=0
//
// One value of ten is wrong, and only where the other thread was first.
#include <thrum/thrum.h>

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> done{false};

int main() {
  unsigned value = thrum_choose(10);
  std::thread thread([] { done = true; });
  thrum_point();
  thread.join();
  assert(!(value == 7 && done));
}
