// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Three philosophers who take the fork with the lower number first.
#include <algorithm>
#include <array>
#include <mutex>
#include <thread>

std::array<std::mutex, 3> forks;

void dine(std::size_t seat) {
  const std::size_t left = seat;
  const std::size_t right = (seat + 1) % forks.size();
  std::lock_guard first(forks[std::min(left, right)]);
  std::lock_guard second(forks[std::max(left, right)]);
}

int main() {
  std::array<std::thread, 3> philosophers;
  for (std::size_t i = 0; i < 3; ++i) philosophers[i] = std::thread(dine, i);
  for (std::thread& philosopher : philosophers) philosopher.join();
}
