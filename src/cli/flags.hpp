// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags with which a stock compiler makes what Thrum can check: the one place that knows them. The
// drivers put them in front of a user's own; `thrum flags` prints them, and the CMake package asks that.
#pragma once

#include <string>
#include <vector>

#include "cli/process.hpp"

namespace thrum {

// What a driver runs, and where it finds Thrum's own parts.
struct Toolchain {
  Command compiler;    // the stock compiler, such as {"g++"} or {"ccache", "g++"}
  bool clang = false;  // else gcc
  std::string prefix;  // of Thrum: prefix/include, prefix/lib/thrum
};

// For C and C++ alike.
std::vector<std::string> compile_flags(const Toolchain& toolchain);

// Behind compile_flags() where the user's own count how often code runs (--coverage and the like): counters
// are no data of the program's, and g++ instruments only those that are not updated atomically. Not
// elsewhere, since ccache keeps nothing of a command with such a flag.
std::vector<std::string> counter_flags(const Toolchain& toolchain);

// For programs and shared libraries. They stand in front of the user's libraries, so that no other definition
// of an intercepted function comes first. Throws UserError where the runtime is missing.
std::vector<std::string> link_flags(const Toolchain& toolchain);

}  // namespace thrum
