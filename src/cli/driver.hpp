// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler drivers `thrum cc` and `thrum c++`: the stock compiler, with the flags that make its output
// checkable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "cli/process.hpp"

namespace thrum {

enum class Language { c, cpp };

// The compiler of THRUM_CC or THRUM_CXX, else gcc or g++. Throws UserError if it cannot be run.
Toolchain find_toolchain(Language language);

// For --bitcode: clang 19, unless THRUM_CC or THRUM_CXX names another clang 19. Throws UserError for any
// other compiler, and if it cannot be run.
Toolchain find_bitcode_toolchain(Language language);

// The whole command for the user's arguments. Throws UserError for flags that do not work with Thrum, such as
// -static.
Command driver_command(const Toolchain& toolchain, const std::vector<std::string>& arguments);

// Whether the user's flags make the code count how often it runs.
bool counts_runs(const std::vector<std::string>& words);

// A build system that uses the driver PREFIX-c++ expects its archiver under the name PREFIX-gcc-ar. This is
// the command that a program of that name runs, such as {"gcc-ar-12", …} for g++-12; nothing for other
// names.
std::optional<Command> archiver_command(const std::string& name, const Toolchain& toolchain,
                                        const std::vector<std::string>& arguments);

// The parent folder of bin/, in which this executable lies.
std::string installation_prefix();

}  // namespace thrum
