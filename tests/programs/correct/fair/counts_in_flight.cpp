// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=2
// Three rounds that look the same wherever their counter stands before its store: what it is about to store
// is nowhere else.
#include <atomic>
#include <thread>

std::atomic<int> round_number{1};
std::atomic<bool> done{false};
std::atomic<int> busy{0};

int main() {
  std::thread counter([] {
    while (true) {
      const int number = round_number.exchange(0);
      if (number == 4) break;
      round_number.store(number + 1);
      std::this_thread::yield();
    }
    done.store(true);
  });
  while (!done.load()) {
    busy.store(1);
    busy.store(0);
    std::this_thread::yield();
  }
  counter.join();
}
