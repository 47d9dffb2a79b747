// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "increment.hpp"

#include <atomic>

int increment() {
  static std::atomic<int> counter{0};
  int next = counter.load() + 1;
  counter.store(next);
  return next;
}
