// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 6
// compilers: same
//
// std::atomic_ref on a plain integer, two increments in each of two threads: C(4,2) = 6.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  alignas(std::atomic_ref<int>::required_alignment) int counter = 0;
  const auto count = [&] {
    std::atomic_ref<int> reference(counter);
    ++reference;
    ++reference;
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  assert(counter == 4);
}
