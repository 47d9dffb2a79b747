// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which timed waits may end by their time though others can go on (docs/semantics.md, "Time-outs"). What
// counts is a wait's length: how far away its deadline was when it began.
#pragma once

#include <cstdint>

#include "runtime/base/world.hpp"

namespace thrum {

// Whether a wait of that length may run out between any two operations of others. One of a greater length
// does so only where nothing else can go on.
inline bool ends_early(std::uint64_t length_ns) { return length_ns <= world.job->early_timeouts_ns; }

// Whether a wait of that length, which is no sleep, is as good as one without a deadline: where only such are
// left the program hangs.
inline bool never_ends(std::uint64_t length_ns) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  return length_ns >= kHour && !ends_early(length_ns);
}

}  // namespace thrum
