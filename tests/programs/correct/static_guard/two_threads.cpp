// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// Two threads reach the same local static: one makes it, the other waits until it is made.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> made{0};

struct Table {
  Table() {
    ++made;
    size = 8;
  }
  int size = 0;
};

const Table& table() {
  static const Table instance;
  return instance;
}

void use() { assert(table().size == 8); }

int main() {
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  assert(made == 1);
}
