// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concurrent pushdown systems in the file format of CUBA. Shared states and stack symbols are numbers.
//
//   21            the shared states are 0 to 20; # begins a comment
//   PDA 0 22      a thread, whose stack symbols are 0 to 22; then its rules:
//   0 1 -> 0 13 3     s l -> s' l1 l2   l2 replaces l, and l1 is pushed on top of it
//   0 3 -> 0 4        s l -> s' l1      l1 replaces l
//   0 14 -> 0 -       s l -> s' -       l is popped
//   16 -1 -> 17 1     a rule for the empty stack, which is written - or -1
//
// A configuration is written as 0|1,9,-: the shared state, and the top of each stack (- for an empty one).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// nullopt: the empty stack.
using Symbol = std::optional<std::int32_t>;

struct PushdownRule {
  std::uint32_t state = 0;
  Symbol top{};
  std::uint32_t next_state = 0;
  std::vector<std::int32_t> pushed{};  // the new top first
  Position where{};
};

struct PushdownThread {
  std::int32_t lowest = 0;
  std::int32_t highest = 0;
  std::vector<PushdownRule> rules{};
};

struct PushdownFile {
  std::uint32_t states = 0;
  std::vector<PushdownThread> threads{};
};

struct Configuration {
  std::uint32_t state = 0;
  std::vector<Symbol> tops{};
};

// Both throw InputError.
PushdownFile parse_pushdown(const std::string& text);
Configuration parse_configuration(const std::string& text, const PushdownFile& file);

// A program that can fail if the system can reach, from `begin`, a configuration with the state and the tops
// of `target`. In `begin` each stack holds only its top.
Flow to_flow(const PushdownFile& file, const Configuration& begin, const Configuration& target);

}  // namespace thrum::bp
