// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// compilers: same
//
// Threads with arguments by value, by reference and as members, and a thread moved to another
// variable.
#include <atomic>
#include <cassert>
#include <functional>
#include <thread>
#include <utility>

struct Adder {
  void add(int n) { sum += n; }
  std::atomic<int> sum{0};
};

int main() {
  Adder adder;
  int result = 0;
  std::thread member(&Adder::add, &adder, 3);
  std::thread reference([](int& out) { out = 5; }, std::ref(result));
  std::thread moved = std::move(member);
  moved.join();
  reference.join();
  assert(adder.sum == 3 && result == 5);
}
