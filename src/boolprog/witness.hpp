// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The witness for a failure that a ContextSearch found: one execution, step by step.
#pragma once

#include "boolprog/contexts.hpp"
#include "boolprog/interpreter.hpp"

namespace thrum::bp {

// REQUIRES: search.failure(). The interpreter takes each step; one that it cannot take is an internal error.
Execution witness(const Transfer& transfer, const ContextSearch& search, const Goal& goal);

}  // namespace thrum::bp
