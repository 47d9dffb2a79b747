// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// An object with a reference count, released by two threads.
//
// The bug: `release` reads the count, tests it and writes it back in two steps, where fetch_sub
// would do it in one. Two threads can both read 2, and then nobody destroys the object.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> references{2};
std::atomic<int> destructions{0};

void release() {
  const int left = references.load() - 1;
  references.store(left);
  if (left == 0) ++destructions;
}

int main() {
  std::thread first(release);
  std::thread second(release);
  first.join();
  second.join();
  assert(destructions == 1 && "the object is destroyed exactly once");
}
