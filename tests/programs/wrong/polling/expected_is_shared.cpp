// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug data-race
// flags: -O2
//
// The expected value of main's compare-exchange is a variable that the worker writes, too.
#include <atomic>
#include <thread>

static std::atomic<int> turn{0};

int main() {
  int expected = 0;
  std::thread worker([&expected] {
    turn = 1;
    turn = 2;
    expected = 2;  // reported
    turn = 3;
  });
  while (!turn.compare_exchange_strong(expected, 7)) {
    if (expected != 3) expected = 3;  // reported
  }
  worker.join();
}
