// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// expect: exhausted
// args: --heap fresh
//
// Under --heap fresh nothing is given twice.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <thread>

std::atomic<int> x{0};

void work() {
  void* first = std::malloc(48);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  std::free(first);
  x.fetch_add(1);
  void* second = std::malloc(48);
  assert(reinterpret_cast<std::uintptr_t>(second) != address);
  std::free(second);
}

int main() {
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
}
