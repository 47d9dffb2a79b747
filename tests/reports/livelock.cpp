// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each philosopher puts the left fork back and tries again for ever, once the other sits on the right one.
#include <atomic>
#include <thread>

std::atomic<bool> taken[2];

void take(int fork) {
  while (taken[fork].exchange(true)) std::this_thread::yield();
}

void eat(int left, int right) {
  take(left);
  take(right);
  taken[right] = false;
  taken[left] = false;
}

int main() {
  std::thread first(eat, 0, 1);
  std::thread second(eat, 1, 0);
  first.join();
  second.join();
}
