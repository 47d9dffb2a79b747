// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each philosopher gives the first fork back where the second is taken; in lockstep nobody ever eats.
#include <mutex>
#include <thread>

std::mutex forks[2];

void eat(int left, int right) {
  while (true) {
    if (forks[left].try_lock()) {
      if (forks[right].try_lock()) break;
      forks[left].unlock();
    }
    std::this_thread::yield();
  }
  forks[right].unlock();
  forks[left].unlock();
}

int main() {
  std::thread first(eat, 0, 1);
  std::thread second(eat, 1, 0);
  first.join();
  second.join();
}
