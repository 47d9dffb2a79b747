// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Advice for programs whose threads are started by a library that is not instrumented, such as those of
// OpenMP.
#pragma once

#include <string>

namespace thrum {

// What the library is, and what to do to have such a program checked; a sentence each. library: its path, or
// the name of its file.
std::string thread_pool_advice(const std::string& library);

}  // namespace thrum
