// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs of many values: the results of __VERIFIER_nondet_int and the like. Inputs of few values are choices,
// and each value is tried.
//
// Of many values a few are tried, as vectors of inputs. Main's first choice in an execution selects the
// vector. It costs nothing, so that a bound is completed for all vectors before the next one begins. A draw
// is a function of the vector, the thread, and the number of the thread's draws so far. So draws of several
// threads commute, and are no events.
//
// The values are 0, 1, -1, the limits of the type, the constants that the program compares with
// (compared_constants.hpp), then numbers from the seed. After its eighth draw a thread has one value for each
// draw.
//
// Tested by inputs_test.cpp and tests/endtoend/inputs_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace thrum {

inline constexpr std::uint16_t kInputVectors = 64;
inline constexpr std::uint32_t kInputsVaried = 8;  // draws of a thread that depend on the vector

// The type of an input.
struct InputType {
  std::uint32_t bytes = 8;  // at most 8
  bool is_signed = false;
};

// The value, as bits, of a thread's draw in a vector; bits above the type's are 0. draw: counts from 0, below
// kInputsVaried. random: a number from thread, draw and seed. constants: compared by the program, without
// repetition.
std::uint64_t input_value(std::uint16_t vector, std::uint32_t draw, InputType type, std::uint64_t random,
                          std::span<const std::int64_t> constants);

// The next input of the running thread. REQUIRES: an execution runs and has chosen its vector.
std::uint64_t next_input(InputType type);

// Main's first operation in an execution of a program that draws inputs.
void choose_inputs();

}  // namespace thrum
