// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to memory, as races are judged: who touched which bytes, how, and when.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/bug.hpp"
#include "races/vector_clock.hpp"

namespace thrum {

// Whether two accesses to the same byte by different threads make a race where nothing orders them: one of
// them writes and one of them is not atomic (C++20 [intro.races]/21).
constexpr bool conflict(AccessKind a, AccessKind b) {
  auto writes = [](AccessKind kind) {
    return kind != AccessKind::plain_read && kind != AccessKind::atomic_read;
  };
  auto plain = [](AccessKind kind) {
    return kind != AccessKind::atomic_read && kind != AccessKind::atomic_write;
  };
  return (writes(a) || writes(b)) && (plain(a) || plain(b));
}

// Whether every access that conflicts with b also conflicts with a. Then b need not be remembered once a came
// after it: who races with b races with a. But a free is remembered for itself: what the same thread does
// behind it is no race, and wrong all the same. By a: a bit for each b.
inline constexpr auto kCovered = [] {
  constexpr std::size_t kKinds = kAccessKindCount;
  std::array<std::uint8_t, kKinds> table{};
  for (std::size_t a = 0; a < kKinds; ++a) {
    for (std::size_t b = 0; b < kKinds; ++b) {
      bool all = true;
      for (std::size_t c = 0; c < kKinds; ++c) {
        auto other = static_cast<AccessKind>(c);
        all = all &&
              (conflict(static_cast<AccessKind>(a), other) || !conflict(static_cast<AccessKind>(b), other));
      }
      const bool for_itself = b == static_cast<std::size_t>(AccessKind::free) && a != b;
      if (all && !for_itself) table[a] = static_cast<std::uint8_t>(table[a] | 1U << b);
    }
  }
  return table;
}();

constexpr bool covers(AccessKind a, AccessKind b) {
  return (kCovered[static_cast<std::size_t>(a)] >> static_cast<unsigned>(b) & 1) != 0;
}

struct Access {
  std::uint64_t address = 0;
  std::uint32_t size = 0;  // bytes
  AccessKind kind = AccessKind::plain_read;
  std::uint64_t code = 0;  // the code address behind the call
  Epoch when;
};

// Of both accesses the part is given that lies in the eight bytes where they meet.
struct Race {
  Access earlier;
  Access later;
  std::uint64_t address = 0;  // of the first byte that both touch
};

}  // namespace thrum
