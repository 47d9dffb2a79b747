// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain reads and writes by the program, instrumented or through libc's functions. All come through here.
#pragma once

#include <cstddef>

#include "runtime/scheduler.hpp"
#include "runtime/world.hpp"

namespace thrum {

// Counts it. A read leaves no trace so far.
inline void note_plain_read() { count_step(); }
inline void note_plain_read(const volatile void* /*address*/, std::size_t /*size*/) { note_plain_read(); }

// Counts it. It ends a waiting loop, unless it goes to the thread's own stack: what a loop keeps there is
// compared anyway.
inline void note_plain_write(const volatile void* address) {
  count_step();
  if (!world.running) return;
  const Thread& me = scheduler().current();
  const auto* place = static_cast<const volatile char*>(address);
  if (place < me.stack_bottom || place >= me.stack_top) world.wrote = true;
}
inline void note_plain_write(const volatile void* address, std::size_t size) {
  if (size != 0) note_plain_write(address);
}

}  // namespace thrum
