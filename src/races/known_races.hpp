// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races that were found and are explored from then on (`--races explore`). Plain accesses at their places in
// the code, and all plain accesses to the bytes where they were found, are visible operations: a scheduling
// point stands before each.
//
// The bytes matter if one of the places was never seen to race, because its thread never stopped there: for
// example, a loop that waits for a plain flag was compiled into two reads.
//
// The list only grows. An execution uses its first races; the trace says how many. Here races are known by
// addresses; by which names they last, in a trace, is the engine's affair.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/bug.hpp"

namespace thrum {

class KnownRaces {
 public:
  struct Race {
    std::uint64_t first;  // code addresses, as accesses give them
    std::uint64_t second;
    std::uint64_t begin;  // of the bytes that both access
    std::uint64_t end;
  };

  // Adds a race, and uses it.
  void add(const Race& race);
  void add(const Failure& race);

  // From now on the first `count` races are in use.
  void use(std::size_t count);
  std::size_t count() const { return in_use_; }
  std::span<const Race> in_use() const { return std::span(all_).first(in_use_); }

  // Whether a race between these code addresses is in use.
  bool holds(std::uint64_t first, std::uint64_t second) const;
  // Whether this plain access is a visible operation.
  bool promotes(std::uint64_t code, std::uint64_t address, std::uint64_t size) const;

 private:
  std::vector<Race> all_;
  std::size_t in_use_ = 0;
  std::vector<std::uint64_t> codes_;                            // of promoted accesses; sorted
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bytes_;  // begin and end of promoted bytes; sorted
};

}  // namespace thrum
