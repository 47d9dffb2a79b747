// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 6
// compilers: same
//
// What a thread draws from std::random_device, and how many cores it sees, is the same in each execution: a thread that decides by
// it takes the same way each time. Two threads with two operations each: C(4, 2) = 6.
#include <atomic>
#include <cassert>
#include <random>
#include <set>
#include <thread>

std::atomic<unsigned> sum{0};

int main() {
  auto draw = [] {
    std::random_device device;
    std::set<unsigned> drawn{device(), device(), device()};
    assert(drawn.size() == 3);
    assert(std::thread::hardware_concurrency() > 0);
    for (int i = 0; i < 2; ++i) sum += *drawn.begin();
  };
  std::thread first(draw);
  std::thread second(draw);
  first.join();
  second.join();
}
