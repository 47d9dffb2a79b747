// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races that were found and are explored from then on (`--races explore`). Plain accesses at their places in
// the code, and all plain accesses to the bytes where they were found, are visible operations.
//
// The list only grows. An execution uses its first races. An access is known by its code address, and by the
// instruction there, which is quicker to compare.
//
// Thread safety: none. Tested by tests/endtoend/vm_features_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "model/bug.hpp"
#include "model/trace.hpp"

namespace thrum::vm {

class KnownRaces {
 public:
  // The address of the instruction at a code address; 0: there is none.
  using InstructionAt = std::function<std::uint64_t(std::uint64_t code)>;
  explicit KnownRaces(InstructionAt instruction_at) : instruction_at_(std::move(instruction_at)) {}

  // Adds the race of a failure.
  void add(const Failure& race);
  // Races in no code of the program are left out.
  void add(std::span<const KnownRace> races);

  // From now on the first `count` races are in use.
  void use(std::size_t count);
  std::size_t count() const { return in_use_; }

  // Whether a race between these code addresses is in use.
  bool holds(std::uint64_t first, std::uint64_t second) const;
  // Whether this plain access is a visible operation. where: a code address, or that of an instruction.
  bool promotes(std::uint64_t where, std::uint64_t address, std::uint64_t size) const;

  // The races in use, by lasting names.
  std::vector<KnownRace> places() const;

 private:
  struct Known {
    std::uint64_t first;
    std::uint64_t second;
    std::uint64_t begin;  // of the bytes
    std::uint64_t end;
  };
  InstructionAt instruction_at_;
  std::vector<Known> all_;
  std::size_t in_use_ = 0;
  std::vector<std::uint64_t> places_;                           // of promoted accesses; sorted
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bytes_;  // begin and end of promoted bytes; sorted
};

}  // namespace thrum::vm
