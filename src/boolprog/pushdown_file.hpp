// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concurrent pushdown systems as CUBA's files write them: shared states and stack symbols are numbers.
//
//   21            the shared states are 0 to 20; # begins a comment
//   PDA 0 22      a thread, whose stack symbols are 0 to 22; then its rules:
//   0 1 -> 0 13 3     s l -> s' l1 l2   l1 is pushed, over l2 in the place of l
//   0 3 -> 0 4        s l -> s' l1      l1 takes the place of l
//   0 14 -> 0 -       s l -> s' -       l is popped
//   16 -1 -> 17 1     from the empty stack, which is - or -1
//
// A configuration is written as 0|1,9,-: the shared state, and the top of each stack (- for an empty one).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// Nothing: the empty stack.
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

// A program that can fail where the system can get from one configuration, whose stacks hold their tops only,
// to one with the other's state and tops.
Flow to_flow(const PushdownFile& file, const Configuration& begin, const Configuration& target);

}  // namespace thrum::bp
