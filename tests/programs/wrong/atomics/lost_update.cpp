// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// compilers: same
//
// An increment in two steps, load and store.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x{0};

void increment() { x.store(x.load() + 1); }

int main() {
  std::thread first(increment);
  std::thread second(increment);
  first.join();
  second.join();
  assert(x == 2);
}
