// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cassert>
#include <thread>

#include "counter.h"

int main() {
  std::thread other(increment);
  increment_twice();
  other.join();
  assert(increment() == 4);
}
