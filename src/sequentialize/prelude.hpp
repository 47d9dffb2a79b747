// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C that stands before and behind a sequential program's functions: its scheduler.
#pragma once

#include <string>

#include "sequentialize/program.hpp"

namespace thrum::seq {

std::string prelude(const Program& program);
// main, and what calls the functions that run as threads.
std::string epilogue(const Program& program);

}  // namespace thrum::seq
