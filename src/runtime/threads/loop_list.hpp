// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The waiting loops that a search has met, for its report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/waiting_loop.hpp"
#include "runtime/base/modules.hpp"

namespace thrum {

class LoopList {
 public:
  // Of one call, the first kind counts. code: its return address.
  void add(std::uint64_t code, WaitingLoop::Kind kind, std::uint8_t differences = 0) {
    WaitingLoop loop{{}, kind, differences};
    if (!find_in_modules(code, loop.call)) return;
    if (std::ranges::find(loops_, loop.call, &WaitingLoop::call) == loops_.end()) loops_.push_back(loop);
  }

  // In the order of their places.
  std::vector<WaitingLoop> take() {
    std::ranges::sort(loops_, {}, &WaitingLoop::call);
    return std::move(loops_);
  }

 private:
  std::vector<WaitingLoop> loops_;
};

}  // namespace thrum
