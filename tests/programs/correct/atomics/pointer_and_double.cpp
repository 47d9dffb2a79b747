// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: same
//
// Atomic pointers, and atomic doubles, whose additions are loops of compare-exchange.
#include <atomic>
#include <cassert>
#include <thread>

int cells[4];
std::atomic<int*> next{cells};
std::atomic<double> sum{0.0};

int main() {
  const auto work = [] {
    *next.fetch_add(1) = 1;
    sum.fetch_add(0.5);
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  assert(cells[0] == 1 && cells[1] == 1 && cells[2] == 0);
  assert(sum == 1.0);
}
