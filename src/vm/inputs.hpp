// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs of many values: the results of __VERIFIER_nondet_int and the like. As in the other engine, some
// values are tried, as vectors: main's first operation in an execution chooses one of 64. A draw depends on
// the vector, the thread and the number of the thread's draws before it, so draws commute, and are no events.
//
// A vector's values: 0, 1, -1 and the limits of the type, each for all draws; then numbers that the program
// compares with, and numbers from the seed. From its ninth draw on a thread has one value for each draw.
// Tested by inputs_test.cpp.
#pragma once

#include <cstdint>
#include <span>

namespace thrum::vm {

inline constexpr std::uint16_t kInputVectors = 64;
inline constexpr std::uint32_t kInputsVaried = 8;  // draws of a thread that depend on the vector

struct InputType {
  std::uint32_t bytes = 8;  // at most 8
  bool is_signed = false;
};

// The value, as bits, of a thread's draw; bits above the type's are 0. draw: counts from 0. random: from the
// seed, the thread and the draw. constants: those that the program compares with.
std::uint64_t input_value(std::uint16_t vector, std::uint32_t draw, InputType type, std::uint64_t random,
                          std::span<const std::int64_t> constants);

// What a search knows of the inputs that the program draws; no state of the program.
struct Inputs {
  bool are_drawn = false;     // each execution begins with the choice of a vector
  std::uint64_t vectors = 0;  // that were tried, as bits
};

}  // namespace thrum::vm
