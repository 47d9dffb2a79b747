// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races that were found and are passed over from then on (`--races explore`). Plain accesses at their places
// in code, and those anywhere to the bytes where they were found, are visible operations: scheduling points
// stand before them.
//
// The bytes matter where a place was not seen to race because its thread never stopped there: a loop that
// waits for a plain flag has been compiled into two reads, say.
//
// The list only grows; an execution runs with the first so many, and its trace says which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/bug.hpp"
#include "model/trace.hpp"

namespace thrum {

class KnownRaces {
 public:
  // A failure by a race.
  void add(const Failure& race);
  // Those whose modules are not there are left out.
  void add(std::span<const KnownRace> races);

  // From now on the first `count` are in force.
  void use(std::size_t count);
  std::size_t count() const { return in_force_; }

  // By code addresses, as accesses give them.
  bool holds(std::uint64_t first, std::uint64_t second) const;
  // Whether such a plain access is a visible operation.
  bool promotes(std::uint64_t code, std::uint64_t address, std::uint64_t size) const;

  // Those in force, by names that last.
  std::vector<KnownRace> places() const;

 private:
  struct Known {
    std::uint64_t first;
    std::uint64_t second;
    std::uint64_t begin;  // of the bytes
    std::uint64_t end;
  };
  std::vector<Known> all_;
  std::size_t in_force_ = 0;
  std::vector<std::uint64_t> codes_;                            // promoted; sorted
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bytes_;  // likewise: begin and end
};

}  // namespace thrum
