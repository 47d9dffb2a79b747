// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For cases about what orders threads: short names of memory orders, and threads that run at once.
#pragma once

#include <atomic>
#include <thread>

#include "cases.h"

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;

template <class... Bodies>
static void together(Bodies... bodies) {
  std::thread threads[] = {std::thread(bodies)...};
  for (std::thread& thread : threads) thread.join();
}
