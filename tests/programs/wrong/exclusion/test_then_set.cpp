// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=2
//
// A spin lock that tests and sets in two steps.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> held{false};
std::atomic<int> inside{0};

void enter() {
  while (held.load()) {
  }
  held.store(true);
  assert(++inside == 1);
  --inside;
  held.store(false);
}

int main() {
  std::thread first(enter);
  std::thread second(enter);
  first.join();
  second.join();
}
