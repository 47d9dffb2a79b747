// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 20
// compilers: same
//
// Store, fence, load in each of two threads; a fence is an operation of its own: C(6,3) = 20.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x;
std::atomic<int> y;

int main() {
  int seen_y = -1;
  int seen_x = -1;
  std::thread first([&] {
    x.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    seen_y = y.load(std::memory_order_relaxed);
  });
  std::thread second([&] {
    y.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    seen_x = x.load(std::memory_order_relaxed);
  });
  first.join();
  second.join();
  assert(seen_x == 1 || seen_y == 1);
}
