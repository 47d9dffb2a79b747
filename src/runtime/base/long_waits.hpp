// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which timed waits may time out while other threads can go on (docs/decisions/003-timeouts.md). The length
// of a wait decides: how far away its deadline was when it began.
#pragma once

#include <cstdint>

#include "runtime/base/world.hpp"

namespace thrum {

// Whether a wait of that length may time out between any two operations of other threads. A longer one does
// so only when nothing else can go on.
inline bool ends_early(std::uint64_t length_ns) { return length_ns <= world.job->early_timeouts_ns; }

// Whether a wait of that length (no sleep) counts as one without a deadline. If only such waits are left, the
// program hangs.
inline bool never_ends(std::uint64_t length_ns) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  return length_ns >= kHour && !ends_early(length_ns);
}

}  // namespace thrum
