// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls about memory, by their numbers (external_mappings.cpp).
#pragma once

#include <optional>

#include "vm/externals.hpp"

namespace thrum::vm {

// Answers a call of syscall() with that number; nothing: it is another one.
std::optional<Next> answer_mapping_call(Call& call, long number);

}  // namespace thrum::vm
