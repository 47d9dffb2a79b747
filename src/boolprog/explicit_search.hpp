// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breadth-first search of a boolean program's states, one by one: by contexts first, so that a bug is shown
// in as few contexts as there can be, and then by steps. It keeps every state that it saw, and is exact as
// far as its limits let it go; the pushdown engine (contexts.hpp) has no such limits.
#pragma once

#include <cstdint>
#include <optional>

#include "boolprog/interpreter.hpp"

namespace thrum::bp {

struct ExplicitLimits {
  std::uint32_t contexts = 0;      // 0: none
  std::uint32_t depth = 64;        // frames of a stack
  std::uint32_t threads = 16;      // that were ever there
  std::uint64_t states = 4000000;  // that are kept
  double seconds = 0;              // 0: none
};

struct ExplicitResult {
  std::optional<Execution> bug{};
  std::uint32_t contexts = 0;  // of the bug; else `searched`
  std::uint32_t searched = 0;  // so many were searched to their end, without a bug and with nothing left out
  bool complete = false;       // no further context would show a new state
  // What was left out, if anything.
  bool cut_depth = false;
  bool cut_threads = false;
  bool cut_states = false;
  bool cut_seconds = false;
  std::uint64_t states = 0;

  bool cut() const { return cut_depth || cut_threads || cut_states || cut_seconds; }
};

// Throws TooManyOutcomes.
ExplicitResult search_explicitly(const Flow& flow, const Goal& goal, const ExplicitLimits& limits);

}  // namespace thrum::bp
