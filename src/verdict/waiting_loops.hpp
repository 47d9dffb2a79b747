// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The waiting loops that a search has met, with their places in the source, in words.
#pragma once

#include <vector>

#include "protocol/job.hpp"
#include "report/result.hpp"

namespace thrum {

// Calls of one line that were treated alike are one.
std::vector<LoopResult> waiting_loops(const Report& report);

}  // namespace thrum
