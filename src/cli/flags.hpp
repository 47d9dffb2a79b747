// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags with which a stock compiler makes programs that Thrum can check; no other place knows them. The
// drivers put them before the user's flags; `thrum flags` prints them, and the CMake package calls that.
#pragma once

#include <string>
#include <vector>

#include "cli/process.hpp"

namespace thrum {

// The compiler that a driver runs, and the place of Thrum's own parts.
struct Toolchain {
  Command compiler;    // the stock compiler, such as {"g++"} or {"ccache", "g++"}
  bool clang = false;  // else gcc
  std::string prefix;  // of Thrum: prefix/include, prefix/lib/thrum
};

// For C and C++ alike.
std::vector<std::string> compile_flags(const Toolchain& toolchain);

// Flags to add to compile_flags() if the user's flags count how often code runs (--coverage and the like).
// Such counters are no data of the program; g++ does not instrument them if they are updated atomically. They
// are not added otherwise, because ccache does not cache commands with such a flag.
std::vector<std::string> counter_flags(const Toolchain& toolchain);

// For programs and shared libraries. They precede the user's libraries, so that no other definition of an
// intercepted function comes first. Throws UserError if the runtime is missing.
std::vector<std::string> link_flags(const Toolchain& toolchain);

}  // namespace thrum
