// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=1
//
// Three philosophers who all take the left fork first. One preemption is enough: the first is
// interrupted with a fork in hand, the third then takes his and waits for it, and so does the
// second.
#include <array>
#include <mutex>
#include <thread>

std::array<std::mutex, 3> forks;

void dine(std::size_t seat) {
  std::lock_guard left(forks[seat]);
  std::lock_guard right(forks[(seat + 1) % forks.size()]);
}

int main() {
  std::array<std::thread, 3> philosophers;
  for (std::size_t i = 0; i < 3; ++i) philosophers[i] = std::thread(dine, i);
  for (std::thread& philosopher : philosophers) philosopher.join();
}
