// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug lock-misuse preemptions=0
//
// An invariant is no step of the program's, and may only read memory.
#include <thrum/thrum.h>

#include <mutex>
#include <thread>

std::mutex mutex;
int value = 0;

int is_positive(void*) {
  std::lock_guard lock(mutex);
  return value >= 0;
}

int main() {
  const unsigned long positive = thrum_invariant("the value is positive", is_positive, nullptr);
  std::thread other([] {
    std::lock_guard lock(mutex);
    ++value;
  });
  other.join();
  thrum_invariant_end(positive);
}
