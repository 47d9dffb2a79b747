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
#include "runtime/fiber.hpp"
#include "runtime/thread.hpp"

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

// The name of an address that lasts. none where the number is no address of the program's.
Place place_of(std::uint64_t address);

// The same, and where it is the address of a variable of a function that runs, or of a block of the heap, the
// current trace is told of the frame or the block. REQUIRES: the current trace holds places.
Place described_place(std::uint64_t address);

// Return addresses of the running stack from the program's own code on, innermost first; as far as it can be
// read.
std::vector<Place> running_stack();

// Called for a fault: does not return where the stack was being read that the program has written over.
void leave_unwinding();

// The same as addresses, as many as there is room for. What is left over stays as it is.
void running_code(std::span<std::uint64_t> code);

// What the frame of the running stack whose stack pointer is given has in the registers that a call keeps,
// while what it called runs.
CallerState kept_registers(const void* stack_pointer);

}  // namespace thrum
