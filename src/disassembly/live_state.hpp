// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of the registers that a call preserves (System V ABI), and of the words of a stack frame.
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

// One bit for each of the first 64 words of 4 bytes from some stack pointer on.
using WordSet = std::uint64_t;
inline constexpr std::int64_t kWordBytes = 4;
inline constexpr std::int64_t kWords = 64;
inline constexpr WordSet kAllWords = ~WordSet{0};

// The words from the one with that index on; those before the first one do not count.
constexpr WordSet words_from(std::int64_t index) {
  return index <= 0 ? kAllWords : index >= kWords ? 0 : kAllWords << index;
}

// What may still be used behind a call.
struct LiveState {
  RegisterSet registers = kAllRegisters;
  WordSet words = kAllWords;  // from the stack pointer on that the caller has then
};

}  // namespace thrum
