// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the running stack.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/fiber.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// The frames of the running stack that are the program's own, innermost first; as far as they can be read.
std::vector<RawFrame> running_frames();

// Their return addresses, as many as there is room for. What is left over stays as it is.
void running_code(std::span<std::uint64_t> code);

// What the frame of the running stack whose stack pointer is given has in the registers that a call keeps,
// while what it called runs.
CallerState kept_registers(const void* stack_pointer);

// Called for a fault: does not return where the stack was being read that the program has written over.
void leave_unwinding();

}  // namespace thrum
