// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the program maps itself: mmap and its family, brk.
//
// Mappings made before the first choice belong to the snapshot. A mapping made in an execution has an address
// that depends only on the mapping thread's own history, and is unmapped before the next execution. An
// execution never uses an address twice, so that accesses to unmapped memory fail.
//
// If an execution unmaps memory of the snapshot, the memory is only hidden (Snapshot::change_protection).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/forever.hpp"
#include "runtime/base/system_call.hpp"
#include "runtime/memory/snapshot.hpp"

namespace thrum {

class Mappings {
 public:
  constexpr Mappings() = default;

  // The process begins.
  void initialize();

  // Answers a call of the family: before the first choice, and in an execution. False for other calls.
  bool answer_before(const SystemCall& call, long& result);
  bool answer(const SystemCall& call, long& result);

  // The mappings that belong to the snapshot.
  std::vector<Snapshot::Mapping> kept() const;

  // Adds the mappings of this execution. Parts may be unmapped again or protected.
  void add_made(std::vector<std::span<const char>>& ranges) const {
    for (const Range& range : made_)
      ranges.emplace_back(reinterpret_cast<const char*>(range.begin), range.end - range.begin);
  }

  // Whether this execution has changed the protection of parts of the heap.
  bool protects_heap() const { return !heap_protected_.empty(); }

  // Ends the mappings of the execution.
  void restore();

 private:
  using Mapping = Snapshot::Mapping;
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
    bool counts = false;  // for the memory limit
  };
  long map(const SystemCall& call);
  long map_at(const SystemCall& call, std::uint64_t begin, std::uint64_t end);
  long unmap(const SystemCall& call);
  long protect(const SystemCall& call);
  long remap(const SystemCall& call);
  long advise(const SystemCall& call);
  long move_break(const SystemCall& call);
  std::uint64_t new_address(std::uint64_t size);
  long note_made(std::uint64_t begin, std::uint64_t end, bool counts, long result);
  bool made_here(std::uint64_t begin, std::uint64_t end) const;

  std::vector<Mapping> kept_;          // made before the first choice or outside executions
  std::vector<Range> made_;            // in this execution
  std::vector<Range> heap_protected_;  // parts of the heap whose protection this execution has changed
  std::vector<std::uint64_t> next_;    // by slot: the address of its next mapping
  std::uint64_t break_at_start_ = 0;
  std::uint64_t break_ = 0;  // at the snapshot
  bool changed_ = false;
};

extern constinit Forever<Mappings> the_mappings;
inline Mappings& mappings() { return the_mappings.value; }

}  // namespace thrum
