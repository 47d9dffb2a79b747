// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A local static whose first construction throws is made by the next thread that comes.
#include <cassert>
#include <stdexcept>
#include <thread>

int attempts = 0;

struct Table {
  Table() {
    if (++attempts == 1) throw std::runtime_error("not yet");
  }
};

int failures = 0;

void use() {
  try {
    static const Table instance;
  } catch (const std::runtime_error&) {
    ++failures;
  }
}

int main() {
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  assert(attempts == 2 && failures == 1);
}
