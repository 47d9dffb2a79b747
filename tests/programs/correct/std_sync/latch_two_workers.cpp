// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=1
//
// Main waits on a latch for two workers.
// Only within a bound: libstdc++ looks a dozen times, and yields a few times, before each wait, and each
// look is an event.
#include <atomic>
#include <cassert>
#include <latch>
#include <thread>

std::latch finished(2);
std::atomic<int> results{0};

void work() {
  ++results;
  finished.count_down();
}

int main() {
  std::thread first(work);
  std::thread second(work);
  finished.wait();
  assert(results == 2);
  first.join();
  second.join();
}
