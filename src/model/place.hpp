// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names for addresses.
#pragma once

#include <compare>
#include <cstdint>

namespace thrum {

// A lasting name of an address: the same in all executions.
struct Place {
  enum class Space : std::uint8_t { none, module, heap, stack, other };
  Space space = Space::none;
  std::uint16_t owner =
      0;  // module: its number; heap, stack: the thread that allocated, or whose stack it is
  // heap: number of the thread's allocation, from 1. stack: the frame that holds the address, counted from 1
  // in Trace::frames, or 0.
  std::uint32_t number = 0;
  std::uint64_t offset =
      0;  // in the module, in the block, from the stack's upper end; other: the address itself

  friend bool operator==(const Place&, const Place&) = default;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// A part of the executable: offsets as in Place.
struct OffsetRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const OffsetRange&, const OffsetRange&) = default;
};

}  // namespace thrum
