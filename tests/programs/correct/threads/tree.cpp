// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A tree of threads, each of which joins its children and adds their sums.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> nodes{0};

void grow(int depth) {
  ++nodes;
  if (depth == 0) return;
  std::thread left(grow, depth - 1);
  std::thread right(grow, depth - 1);
  left.join();
  right.join();
}

int main() {
  std::thread root(grow, 2);
  root.join();
  assert(nodes == 7);
}
