// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler drivers `thrum cc` and `thrum c++`: the stock compiler, with what makes its output checkable.
#pragma once

#include <string>
#include <vector>

#include "cli/process.hpp"

namespace thrum {

enum class Language { c, cpp };

// What the driver runs and where it finds its own parts.
struct Toolchain {
  Command compiler;    // the stock compiler, such as {"g++"} or {"ccache", "g++"}
  bool clang = false;  // else gcc
  std::string prefix;  // of Thrum: prefix/include, prefix/lib/thrum
};

// The compiler of THRUM_CC or THRUM_CXX, or gcc or g++. Throws UserError where it cannot be run.
Toolchain find_toolchain(Language language);

// The whole command for a user's arguments. Throws UserError for what cannot be checked, such as -static.
Command driver_command(const Toolchain& toolchain, const std::vector<std::string>& arguments);

// The folder over bin/, in which this executable lies.
std::string installation_prefix();

}  // namespace thrum
