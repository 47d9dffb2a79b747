// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on slots that are too rare for an opcode of their own: 128 bits, long double, conversions,
// counting bits, mathematical functions. Opcode::compute runs one.
#pragma once

#include <cstdint>
#include <string_view>

namespace thrum::vm {

// Computations by their names, in computations.def.
enum class Computation : std::int32_t {
#define THRUM_VM_COMPUTATION(name, ...) name,
#include "vm/computations.def"
#undef THRUM_VM_COMPUTATION
  count,
};

// Which outcomes of a comparison count, as bits, for Opcode::fcmp: LLVM's numbers for its predicates.
inline constexpr unsigned kEqual = 1;
inline constexpr unsigned kGreater = 2;
inline constexpr unsigned kLess = 4;
inline constexpr unsigned kUnordered = 8;

template <typename Float>
inline bool compares(Float a, Float b, unsigned outcomes) {
  const unsigned outcome = a == b ? kEqual : a > b ? kGreater : a < b ? kLess : kUnordered;
  return (outcomes & outcome) != 0;
}

// Reads the slots from a, b and c on, and writes those from d on, as many as its types have. False: a
// division by zero, or one whose result does not fit.
using ComputationCode = bool (*)(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b,
                                 const std::uint64_t* c);
extern const ComputationCode kComputations[];

}  // namespace thrum::vm
