// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: same
//
// Exceptions thrown and caught in two threads at a time, with a switch between throw and catch.
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>

std::atomic<int> x{0};

struct Guard {
  ~Guard() { x.fetch_add(1); }
};

void work(const std::string& text) {
  try {
    Guard guard;
    throw std::runtime_error(text);
  } catch (const std::runtime_error& error) {
    x.fetch_add(1);
    assert(error.what() == text);
  }
}

int main() {
  std::thread first(work, "first");
  std::thread second(work, "second");
  first.join();
  second.join();
  assert(x == 4);
}
