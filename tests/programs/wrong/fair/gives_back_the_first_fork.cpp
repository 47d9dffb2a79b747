// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug livelock
// args: --fair on --bound preemptions=4
// Two philosophers who give the first fork back where the second is taken. In lockstep nobody ever eats: two
// rounds of it, of two preemptions each, end in a state in which the first had ended.
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
