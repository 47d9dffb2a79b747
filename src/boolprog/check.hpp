// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides whether a boolean program can fail, and says what the answer covers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "boolprog/interpreter.hpp"

namespace thrum::bp {

enum class Engine : std::uint8_t { pushdown, explicit_states };

struct Limits {
  std::uint32_t contexts = 0;                      // 0: none
  double seconds = 60;                             // 0: none
  std::uint64_t memory = std::uint64_t{2} << 30U;  // bytes, of what the search keeps
  bool explores_fully = true;  // pushdown: first tries to prove that no number of contexts shows a bug
  std::uint32_t depth = 64;    // explicit states: frames of a stack
  std::uint32_t threads = 16;  // explicit states: threads, also those that have ended
};

struct Answer {
  enum class Kind : std::uint8_t { bug, exhausted, inconclusive };
  Kind kind = Kind::inconclusive;
  std::string reason{};          // inconclusive: why
  bool budget_ended = false;     // inconclusive because the user's time ended
  bool complete = false;         // exhausted: for any number of contexts
  std::string complete_since{};  // why that is known
  std::uint32_t contexts = 0;    // of the bug; else `searched`
  std::uint32_t searched = 0;    // contexts that were searched completely, without a bug
  std::optional<Execution> bug{};
  std::string trace_missing{};  // a bug without a trace: why
  std::uint64_t states = 0;     // explicit states
  std::uint64_t schedules = 0;  // pushdown: nodes of the tree of schedules
  std::uint64_t bdd_nodes = 0;  // pushdown: the largest size of the table
  std::uint64_t bdd_variables = 0;
};

Answer check(const Flow& flow, const Goal& goal, Engine engine, const Limits& limits);

}  // namespace thrum::bp
