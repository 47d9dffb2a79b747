// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breadth-first search of a boolean program's explicit states: first by contexts, so that a bug is found in
// as few contexts as possible, then by steps. It keeps every state that it has seen, and is exact within its
// limits. The pushdown engine (contexts.hpp) does not have these limits.
#pragma once

#include <cstdint>
#include <optional>

#include "boolprog/interpreter.hpp"

namespace thrum::bp {

struct ExplicitLimits {
  std::uint32_t contexts = 0;      // 0: none
  std::uint32_t depth = 64;        // frames of a stack
  std::uint32_t threads = 16;      // also those that have ended
  std::uint64_t states = 4000000;  // that are kept
  double seconds = 0;              // 0: none
};

struct ExplicitResult {
  std::optional<Execution> bug{};
  std::uint32_t contexts = 0;  // of the bug; else `searched`
  std::uint32_t searched = 0;  // contexts that were searched completely, without a bug
  bool complete = false;       // no further context would show a new state
  // The limits that cut the search, if any.
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
