// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory errors before the first choice: main's accesses while it is alone are checked against the heap, as
// RaceJudge checks those of executions. Races are impossible yet.
//
// A set-up may fill large arrays, and the heap finds the block of an address by scanning downwards from it.
// So the block that was found last is remembered, and so are some large ones.
//
// Thread safety: there is one thread. Tested by tests/programs/{correct,wrong}/memory/early.c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/bug.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/world.hpp"
#include "runtime/threads/invariants.hpp"

namespace thrum {

class EarlyMemory {
 public:
  constexpr EarlyMemory() = default;

  // The program accesses memory. Fails if the memory is not in use. code: the address behind the call.
  // REQUIRES: no execution has begun.
  void check(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code) {
    if (!last_.holds(address, size)) look_up(kind, address, size, code);
  }

  // A block is about to be freed.
  void forget() {
    last_ = {};
    large_.clear();
  }

 private:
  struct Block {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    bool holds(std::uint64_t address, std::uint64_t bytes) const {
      return address - begin < size && bytes <= size - (address - begin);
    }
  };
  void look_up(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code);

  Block last_;                // in use, like all blocks here
  std::vector<Block> large_;  // some of the large ones
};

extern constinit Forever<EarlyMemory> the_early_memory;
inline EarlyMemory& early_memory() { return the_early_memory.value; }

// Also called for accesses of an invariant that is evaluated.
// EarlyMemory::check(), if memory is checked before the first choice (not with Races::ignore).
inline void check_early(AccessKind kind, const volatile void* address, std::size_t size, std::uint64_t code) {
  if (__builtin_expect(world.mode == Mode::checking, 0)) return check_in_invariant(kind, address);
  if (world.watches_memory && size != 0)
    early_memory().check(kind, reinterpret_cast<std::uint64_t>(address), size, code);
}

}  // namespace thrum
