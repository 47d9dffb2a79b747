// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory accesses as the race detector sees them: thread, bytes, kind and time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/bug.hpp"
#include "order/vector_clock.hpp"

namespace thrum {

// Whether two unordered accesses to the same byte by different threads are a race: one of them writes, and
// one of them is not atomic (C++20 [intro.races]/21).
constexpr bool conflict(AccessKind a, AccessKind b) {
  auto writes = [](AccessKind kind) {
    return kind != AccessKind::plain_read && kind != AccessKind::atomic_read;
  };
  auto plain = [](AccessKind kind) {
    return kind != AccessKind::atomic_read && kind != AccessKind::atomic_write;
  };
  return (writes(a) || writes(b)) && (plain(a) || plain(b));
}

using AccessKinds = std::uint8_t;  // a bit for each

constexpr bool holds(AccessKinds kinds, AccessKind kind) {
  return (kinds >> static_cast<unsigned>(kind) & 1) != 0;
}

constexpr AccessKinds kinds_in_conflict_with(AccessKind a) {
  AccessKinds kinds = 0;
  for (unsigned b = 0; b < kAccessKindCount; ++b) {
    if (conflict(a, static_cast<AccessKind>(b))) kinds = static_cast<AccessKinds>(kinds | 1U << b);
  }
  return kinds;
}

// The kinds that a later access of kind a covers: every access that conflicts with one of them conflicts with
// a too. Then the earlier access need not be kept, since whatever races with it races with a. A free is
// always kept: an access of the same thread after it is no race, but is wrong all the same.
constexpr AccessKinds kinds_covered_by(AccessKind a) {
  AccessKinds kinds = 0;
  for (unsigned b = 0; b < kAccessKindCount; ++b) {
    const auto other = static_cast<AccessKind>(b);
    const bool for_itself = other == AccessKind::free && a != other;
    if ((kinds_in_conflict_with(other) & ~kinds_in_conflict_with(a)) == 0 && !for_itself)
      kinds = static_cast<AccessKinds>(kinds | 1U << b);
  }
  return kinds;
}

constexpr auto table_of(AccessKinds (*kinds)(AccessKind)) {
  std::array<AccessKinds, kAccessKindCount> table{};
  for (std::size_t a = 0; a < table.size(); ++a) table[a] = kinds(static_cast<AccessKind>(a));
  return table;
}

inline constexpr auto kConflicting = table_of(kinds_in_conflict_with);
inline constexpr auto kCovered = table_of(kinds_covered_by);

constexpr bool covers(AccessKind a, AccessKind b) { return holds(kCovered[static_cast<std::size_t>(a)], b); }

constexpr AccessKinds kinds_that_cover(AccessKind b) {
  AccessKinds kinds = 0;
  for (unsigned a = 0; a < kAccessKindCount; ++a) {
    if (covers(static_cast<AccessKind>(a), b)) kinds = static_cast<AccessKinds>(kinds | 1U << a);
  }
  return kinds;
}

struct Access {
  std::uint64_t address = 0;
  std::uint32_t size = 0;  // bytes
  AccessKind kind = AccessKind::plain_read;
  std::uint64_t code = 0;  // the address behind the call
  Epoch when;
};

// Each access is cut down to its part in the eight bytes where the two meet.
struct Race {
  Access earlier;
  Access later;
  std::uint64_t address = 0;  // of the first byte that both accesses share
};

}  // namespace thrum
