// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each unit test of this folder begins with: threads that run at once.
#pragma once

#include <thread>
#include <utility>

// Runs each body in a thread of its own, and returns when all have ended.
template <class... Bodies>
void run_together(Bodies... bodies) {
  std::thread threads[] = {std::thread(std::move(bodies))...};
  for (std::thread& thread : threads) thread.join();
}
