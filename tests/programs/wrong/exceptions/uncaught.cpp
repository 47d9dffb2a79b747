// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug uncaught-exception preemptions=1
//
// An exception leaves a thread's function where another thread came between check and use.
#include <atomic>
#include <stdexcept>
#include <thread>

std::atomic<int> tickets{1};

void take() {
  if (tickets == 0) return;
  if (tickets.fetch_sub(1) <= 0) throw std::runtime_error("no ticket left");
}

int main() {
  std::thread first(take);
  std::thread second(take);
  first.join();
  second.join();
}
