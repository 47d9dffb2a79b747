// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 2
// compilers: same
//
// Two threads read and write a counter, each in one atomic section, which is one operation: C(2, 1) = 2.
#include <thrum/thrum.h>

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> counter{0};

void increment() {
  thrum_atomic_begin();
  counter.store(counter.load() + 1);
  thrum_atomic_end();
}

int main() {
  std::thread first(increment);
  std::thread second(increment);
  first.join();
  second.join();
  thrum_atomic_begin();
  assert(counter.load() == 2);
  thrum_atomic_end();
}
