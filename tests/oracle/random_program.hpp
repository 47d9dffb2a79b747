// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random toy programs, from a seed: the same on every machine.
#pragma once

#include <cstdint>

#include "oracle/oracle.hpp"

namespace thrum {

// docs/semantics.md, "Oracle programs".
enum class Family : std::uint8_t {
  a,  // every operation is a scheduling point
  b,  // plain data too, with scheduling points at synchronization only; atomic operations of all orders
  c,  // as a, with condition variables mostly, and waits in loops: for spurious wake-ups
  d,  // as a, with assertions mostly, that fail behind joins: for what an end cuts off
  e,  // as a, with atomic sections
  f,  // inputs, arithmetic, branches and indices that depend on them; plain data in lock sections
};

const char* name_of(Family family);  // a capital letter

struct RandomProgram {
  ToyCode code;
  Findings findings;  // what the oracle says of it
};

// A program of two to four threads with at most `executions_max` interleavings. Larger ones are thrown away,
// so that the oracle stays fast; which are kept depends on the seed alone. Of family F the findings hold
// where all inputs are 0, and find_paths() with values does not give up on it.
inline constexpr std::size_t kPathStatesMax = 20'000;
RandomProgram random_program(std::uint64_t seed, Family family, std::size_t executions_max);

// A program that may have any number of interleavings: too many for the oracle, often. times: so many as
// usual are the operations of each thread.
ToyCode larger_program(std::uint64_t seed, Family family, int times = 1);

// The same program where waits may also end for no reason. Findings::gave_up where it has more interleavings.
RandomProgram with_spurious(const RandomProgram& program, std::size_t executions_max);

}  // namespace thrum
