// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inlining: an equivalent program without calls.
#pragma once

#include <cstddef>
#include <optional>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// The steps of the program and of the result correspond one to one. The locals of all frames of a thread are
// in its one frame. nullopt if a procedure is recursive, directly or through others, or if the result would
// have more than `code_max` instructions.
std::optional<Flow> without_calls(const Flow& flow, std::size_t code_max);

}  // namespace thrum::bp
