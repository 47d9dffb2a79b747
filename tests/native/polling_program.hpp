// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small programs whose threads poll: under locks, with try-locks, with stores that are undone at once, with
// counters that come back to their value. Unlike toy programs (oracle/toy_code.hpp) they have loops.
//
// Main is thread 0. It creates the others, runs its own code, joins them, and then fails an assertion that
// names the final state: so the bugs that a search finds are the final states that it has come to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thrum {

inline constexpr int kPollingObjects = 3;  // variables, and mutexes
inline constexpr int kPollingRegisters = 3;

struct PollingInstruction {
  enum class Code : std::uint8_t {
    load,      // r = x
    store,     // x = v
    add,       // x += v, modulo 256
    cas,       // r = whether x was v, and then is w
    lock,      // m
    try_lock,  // r = whether it got m
    unlock,    // m
    set,       // r = v
    next,      // r = (r + 1) % v
    put,       // x = r
    jump_if,   // if r == v, to the target
    jump_unless,
    jump,
    check,  // assert that r is not v
  };
  Code code = Code::jump;
  std::uint8_t object = 0;
  std::uint8_t reg = 0;
  std::uint8_t value = 0;
  std::uint8_t other = 0;   // w
  std::uint8_t target = 0;  // an instruction of the thread, or its end

  // Whether other threads can tell when it is done: a scheduling point.
  bool is_visible() const { return code <= Code::unlock || code == Code::put; }
};

struct PollingProgram {
  std::vector<std::vector<PollingInstruction>> threads;
};

// The same on every machine.
PollingProgram random_polling_program(std::uint64_t seed);

// For people.
std::string print(const PollingProgram& program);

// What is left when all threads have ended: the variables, and each thread's registers.
struct PollingEnd {
  std::vector<std::uint8_t> values;

  friend auto operator<=>(const PollingEnd&, const PollingEnd&) = default;
};

// C++ source text of a program whose argument says which of them runs. ends: the final states of each.
std::string translate(const std::vector<PollingProgram>& programs,
                      const std::vector<std::vector<PollingEnd>>& ends);

}  // namespace thrum
