// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a file is a program that a worker can be started from.
#pragma once

#include <string>

namespace thrum {

// One line that says why the file at path cannot be checked and what to do; empty where it can.
std::string executable_problem(const std::string& path);

}  // namespace thrum
