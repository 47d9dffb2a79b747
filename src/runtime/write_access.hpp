// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain write by the program.
#pragma once

#include "runtime/scheduler.hpp"
#include "runtime/world.hpp"

namespace thrum {

// Counts it. It ends a waiting loop, unless it goes to the thread's own stack: what a loop keeps there is
// compared anyway.
inline void note_plain_write(const volatile void* address) {
  count_step();
  if (!world.running) return;
  const Thread& me = scheduler().current();
  const auto* place = static_cast<const volatile char*>(address);
  if (place < me.stack_bottom || place >= me.stack_top) world.wrote = true;
}

}  // namespace thrum
