// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// An event made of std::atomic_flag.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic_flag opened = ATOMIC_FLAG_INIT;
int data = 0;

int main() {
  std::thread waiter([] {
    opened.wait(false);
    assert(data == 1);
  });
  data = 1;
  opened.test_and_set();
  opened.notify_all();
  waiter.join();
}
