// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which locals still matter: a local is live at a place in the code where a path from there reads it before
// it is assigned. What the others hold makes no difference to anything that a program does.
#pragma once

#include <vector>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// For each place, and one behind them, whether each local of its procedure is live.
std::vector<std::vector<bool>> live_locals(const Flow& flow);

}  // namespace thrum::bp
