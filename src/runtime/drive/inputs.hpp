// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs of many values: what __VERIFIER_nondet_int and the like give. Those of few values are choices, and
// each value is tried.
//
// Of the others a few are tried, as vectors of inputs. Which vector an execution has is a choice that main
// makes first of all, and that costs nothing, so that a bound is completed for all vectors before the next
// one begins. What a draw gives is a function of the vector, of the thread and of how many the thread has
// drawn before: so draws of several threads commute, and are no events.
//
// Tried are 0, 1, -1, the ends of the type, the constants that the program compares with
// (compared_constants.hpp), then numbers by the seed. Behind its eighth draw a thread has one value each
// time.
//
// Tested by inputs_test.cpp and tests/endtoend/inputs_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace thrum {

inline constexpr std::uint16_t kInputVectors = 64;
inline constexpr std::uint32_t kInputsVaried = 8;  // draws of a thread that hang on the vector

// What is drawn.
struct InputType {
  std::uint32_t bytes = 8;  // at most 8
  bool is_signed = false;
};

// The value that a thread's draw gives in a vector, as bits; those above the type's are 0.
// draw: counts from 0, below kInputsVaried. random: a number that thread, draw and seed give. constants: that
// the program compares with, without repetition.
std::uint64_t input_value(std::uint16_t vector, std::uint32_t draw, InputType type, std::uint64_t random,
                          std::span<const std::int64_t> constants);

// The next input of the running thread. REQUIRES: an execution runs that has chosen its vector.
std::uint64_t next_input(InputType type);

// Main's first operation in an execution of a program that draws inputs.
void choose_inputs();

}  // namespace thrum
