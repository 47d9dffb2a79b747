// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a program smaller, as long as something holds of it.
#pragma once

#include <functional>

#include "sequentialize/tree.hpp"

namespace thrum::seq::random {

Program shrink(Program program, const std::function<bool(const Program&)>& holds);

}  // namespace thrum::seq::random
