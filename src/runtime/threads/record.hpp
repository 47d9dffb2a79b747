// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records what an execution does, if somebody asked for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "model/trace.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// Appends the event that the thread has just done to the current trace.
void record_event(Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);

// The memory order that the event recorded last asked for, as __ATOMIC_... has it.
void record_order(int order);

// Appends an access that is no event of its own to the current trace.
void record_access(const Thread& thread, Operation operation, bool writes, std::uint64_t address,
                   std::uint64_t size);

// The same for the operation that the running thread has done in an atomic section. value: as for
// Scheduler::done().
void record_in_section(const Thread& me, bool changes, std::uint64_t value);

// The bytes at the address as an event's value; the first 8 of more. REQUIRES: they can be read.
inline std::uint64_t value_at(const volatile void* address, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, const_cast<const void*>(address), std::min(size, sizeof value));
  return value;
}

// The event recorded last is a write whose value the program stores only afterwards. The value is read when
// the next event is recorded, or before anything else may change that memory.
void await_written_value();
void take_written_value();
// The value is never stored: the address cannot be written.
void give_up_written_value();

// Records an operation of the running thread that orders events but is no event itself, if the trace holds
// events. other: the thread that the operation is about, named by its stack.
void note_in_trace(Operation operation, const Thread& other, std::uint64_t code);

// Notes whether the running stack is in focus, if priorities need it. Records the stack of the thread's
// pending operation, if the current trace is to hold stacks.
void note_stack(Thread& thread);

}  // namespace thrum
