// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing down what an execution does, where somebody asked for it.
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

// What stands there, as an event's value: of more than 8 bytes the first 8. REQUIRES: it can be read.
inline std::uint64_t value_at(const volatile void* address, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, const_cast<const void*>(address), std::min(size, sizeof value));
  return value;
}

// The event recorded last is a write whose value the program stores only after it. It is read when the next
// event is recorded, or anything else may change what the program's memory is.
void await_written_value();
void take_written_value();
// It is never stored: its address cannot be written.
void give_up_written_value();

// Appends an operation of the running thread that orders events but is no event of its own, where the trace
// is written. other: the thread that it is about, named by its stack.
void note_in_trace(Operation operation, const Thread& other, std::uint64_t code);

// Notes whether the running stack is in focus, where that is asked for; and the stack as the one of the
// thread's pending operation, where the current trace is to hold stacks.
void note_stack(Thread& thread);

}  // namespace thrum
