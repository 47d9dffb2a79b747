// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cassert>
#include <thread>

#include "increment.hpp"

int main() {
  std::thread other(increment);
  increment();
  other.join();
  assert(increment() == 3);
}
