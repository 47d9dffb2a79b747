// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=1
//
// An event made of std::atomic_flag, with two waiters and notify_all.
// Only within a bound: libstdc++ looks a dozen times, and yields a few times, before each wait, and each
// look is an event.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic_flag opened = ATOMIC_FLAG_INIT;
int data = 0;

void pass() {
  opened.wait(false);
  assert(data == 1);
}

int main() {
  std::thread first(pass);
  std::thread second(pass);
  data = 1;
  opened.test_and_set();
  opened.notify_all();
  first.join();
  second.join();
}
