// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug livelock preemptions=0
//
// Each of two threads spins for the flag that the other would set afterwards.
#include <atomic>
#include <thread>

std::atomic<bool> first_ready{false};
std::atomic<bool> second_ready{false};

int main() {
  std::thread first([] {
    while (!first_ready) {
    }
    second_ready = true;
  });
  std::thread second([] {
    while (!second_ready) {
    }
    first_ready = true;
  });
  first.join();
  second.join();
}
