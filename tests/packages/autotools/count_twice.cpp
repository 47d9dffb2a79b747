// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mutex>

#include "counter.h"

int increment_twice(void) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  increment();
  return increment();
}
