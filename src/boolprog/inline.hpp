// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same program without calls: each call is replaced by the code of what it calls.
#pragma once

#include <cstddef>
#include <optional>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// Each step of the program is one of the result, and the other way round; frames of a thread lie beside each
// other in its one frame. Nothing where a procedure calls itself, be it through others, or where the result
// would have more instructions than `code_max`.
std::optional<Flow> without_calls(const Flow& flow, std::size_t code_max);

}  // namespace thrum::bp
