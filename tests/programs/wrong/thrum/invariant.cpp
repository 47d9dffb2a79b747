// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug invariant preemptions=0
//
// Both flags are set under locks of their own, so that all orders lead to the same end. Only in between one of
// the orders shows a state that must not be.
#include <thrum/thrum.h>

#include <mutex>
#include <thread>

std::mutex first_mutex, second_mutex;
bool first = false;
bool second = false;

int in_order(void*) { return first || !second; }

int main() {
  const unsigned long order = thrum_invariant("the first before the second", in_order, nullptr);
  std::thread one([] {
    std::lock_guard lock(first_mutex);
    first = true;
  });
  std::thread other([] {
    std::lock_guard lock(second_mutex);
    second = true;
  });
  one.join();
  other.join();
  thrum_invariant_end(order);
}
