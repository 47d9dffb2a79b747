// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Live variables. A local is live at a place in the code if a path from there reads it before it is assigned.
// The values of the other locals have no effect on the program's behaviour.
#pragma once

#include <vector>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// For each place, and for the one after the last: whether each local of its procedure is live.
std::vector<std::vector<bool>> live_locals(const Flow& flow);

}  // namespace thrum::bp
