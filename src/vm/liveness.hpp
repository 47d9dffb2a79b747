// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which slots of a function's frame are live at an instruction: what they hold may still be read. The others
// are dead: nothing depends on them, so states that differ in them alone are equal.
//
// The analysis is the usual one, backwards over the control flow until nothing changes (Aho, Lam, Sethi,
// Ullman, "Compilers", section 9.2.5), by blocks. What is not known for certain counts as live.
//
// Tested by liveness_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vm/code.hpp"

namespace thrum::vm {

class Liveness {
 public:
  // function: decoded, and outlives this.
  explicit Liveness(const Function& function);

  // The slots that are live before the instruction of that number, ascending. A call that is not over yet
  // counts as not begun: its arguments are live.
  const std::vector<Slot>& before(std::uint32_t instruction);

 private:
  using Bits = std::vector<std::uint64_t>;
  struct Block {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    Bits live;  // at its begin
  };

  void find_blocks();
  void solve();
  std::size_t block_of(std::uint32_t instruction) const;
  Bits at_end_of(const Block& block) const;
  void step_back(std::uint32_t instruction, Bits& live) const;
  template <typename Visit>
  void each_target(std::uint32_t instruction, Visit visit) const;

  const Function& function_;
  std::vector<Block> blocks_;  // by their begins
  std::unordered_map<std::uint32_t, std::vector<Slot>> known_;
};

}  // namespace thrum::vm
