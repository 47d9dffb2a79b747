// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -fsanitize=undefined
//
// The divisor is checked, and then read once more.
#include <atomic>
#include <thread>

std::atomic<int> parts{4};
std::atomic<int> share{0};

void divide(int whole) {
  if (parts != 0) share = whole / parts;
}

int main() {
  std::thread worker(divide, 12);
  parts = 0;
  worker.join();
}
