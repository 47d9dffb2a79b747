// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: same
//
// The reference count of examples/refcount.cpp, with fetch_sub.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> references{2};
std::atomic<int> destructions{0};

void release() {
  if (references.fetch_sub(1) == 1) ++destructions;
}

int main() {
  std::thread first(release);
  std::thread second(release);
  first.join();
  second.join();
  assert(destructions == 1);
}
