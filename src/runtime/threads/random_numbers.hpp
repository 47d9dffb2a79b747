// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that the program requests from the system.
#pragma once

#include "runtime/base/world.hpp"
#include "runtime/threads/scheduler.hpp"
#include "support/random.hpp"

namespace thrum {

// New random numbers for the running thread. They are the same in each execution: they depend on the search's
// seed and on the thread's place in the order of creation.
inline Random draw_random() {
  Thread& me = scheduler().current();
  constexpr std::uint64_t kOddConstant = 0x9e3779b97f4a7c15;
  return Random(world.job->settings.seed + (std::uint64_t{me.slot} << 32 | ++me.random_draws) * kOddConstant);
}

}  // namespace thrum
