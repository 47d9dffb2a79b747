// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers that a call preserves (System V ABI), and sets of them.
#pragma once

#include <cstdint>

namespace thrum {

// In the order of CallerState in runtime/base/fiber.hpp.
enum class Preserved : std::uint8_t { rbx, rbp, r12, r13, r14, r15 };
inline constexpr unsigned kPreservedRegisters = 6;

// One bit for each register.
using RegisterSet = std::uint8_t;
inline constexpr RegisterSet kAllRegisters = (1u << kPreservedRegisters) - 1;
constexpr RegisterSet set_of(Preserved one) {
  return static_cast<RegisterSet>(1u << static_cast<unsigned>(one));
}

}  // namespace thrum
