// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A waiting loop of the program, and how a search treats its rounds (docs/semantics.md, "Loops, fairness,
// livelock").
#pragma once

#include <cstdint>

#include "model/place.hpp"

namespace thrum {

struct WaitingLoop {
  enum class Kind : std::uint8_t {
    spin,          // its thread waits until something that the round read is written
    idle_round,    // its rounds write and come to nothing; the same, until something has another value
    block,         // behind a round that came to nothing its thread does nothing more in this execution
    await,         // reads are not enabled where a round is known to come to nothing
    merge,         // and neither where fewer reads would have led to the same
    differs,       // no round is known to come to nothing: the thread comes back in another state
    uncontrolled,  // the same: what makes the thread go on is not seen
  };
  Place call;
  Kind kind = Kind::spin;
  // differs: one bit for each register of CallerState; then the stack, and the operation's arguments.
  std::uint8_t differences = 0;
  static constexpr std::uint8_t kStackDiffers = 1 << 6;
  static constexpr std::uint8_t kArgumentsDiffer = 1 << 7;

  friend bool operator==(const WaitingLoop&, const WaitingLoop&) = default;
};

}  // namespace thrum
