// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the running stack.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/fiber.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// The program's own frames of the running stack, innermost first, as far as they can be read.
std::vector<RawFrame> running_frames();

// The return addresses of these frames, as many as there is room for. Unused elements keep their values.
void running_code(std::span<std::uint64_t> code);

// The callee-saved registers of a frame of the running stack (given by its stack pointer), as they are while
// the function that it called runs.
CallerState kept_registers(const void* stack_pointer);

// Called for a fault. Does not return if the fault came from reading a stack that the program has
// overwritten.
void leave_unwinding();

}  // namespace thrum
