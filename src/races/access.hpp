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
// after it: who races with b races with a.
constexpr bool covers(AccessKind a, AccessKind b) {
  constexpr auto kTable = [] {
    constexpr std::array kAll = {AccessKind::plain_read,   AccessKind::plain_write, AccessKind::atomic_read,
                                 AccessKind::atomic_write, AccessKind::free,        AccessKind::thread_end};
    static_assert(kAll.size() == kAccessKindCount);
    std::array<std::array<bool, kAll.size()>, kAll.size()> table{};
    for (AccessKind x : kAll) {
      for (AccessKind y : kAll) {
        bool all = true;
        for (AccessKind other : kAll) all = all && (conflict(x, other) || !conflict(y, other));
        table[static_cast<std::size_t>(x)][static_cast<std::size_t>(y)] = all;
      }
    }
    return table;
  }();
  return kTable[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
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
