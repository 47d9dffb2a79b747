// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread spins on a flag without yielding. It waits until the flag is written.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> ready{false};
int data = 0;

int main() {
  std::thread reader([] {
    while (!ready.load()) {
    }
    assert(data == 42);
  });
  data = 42;
  ready.store(true);
  reader.join();
}
