// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug undefined-behaviour preemptions=1
// flags: -fsanitize=undefined
//
// Two threads take from a stock of one; who is second takes what is not there, and divides by what is left.
#include <atomic>
#include <thread>

std::atomic<int> stock{1};
std::atomic<int> shares{0};

void take() {
  if (stock.load() == 0) return;
  int left = stock.fetch_sub(1);
  shares += 100 / left;
}

int main() {
  std::thread a(take);
  std::thread b(take);
  a.join();
  b.join();
}
