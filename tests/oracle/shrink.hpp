// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a failing toy program small enough to read.
#pragma once

#include <functional>

#include "oracle/toy_code.hpp"

namespace thrum {

// A program that still fails, and of which every program with a thread or an instruction less, or with an
// operand made simpler, does not. REQUIRES: fails(code), and that fails() always answers alike.
ToyCode shrink(ToyCode code, const std::function<bool(const ToyCode&)>& fails);

}  // namespace thrum
