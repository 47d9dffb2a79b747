// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler drivers `thrum cc` and `thrum c++`: the stock compiler, with what makes its output checkable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "cli/process.hpp"

namespace thrum {

enum class Language { c, cpp };

// The compiler of THRUM_CC or THRUM_CXX, or gcc or g++. Throws UserError where it cannot be run.
Toolchain find_toolchain(Language language);

// The whole command for a user's arguments. Throws UserError for what cannot be checked, such as -static.
Command driver_command(const Toolchain& toolchain, const std::vector<std::string>& arguments);

// Build systems that know the driver as PREFIX-c++ look for the archiver that goes with it as
// PREFIX-gcc-ar. The command that a program of that name runs, such as {"gcc-ar-12", …} for g++-12; nothing
// for other names.
std::optional<Command> archiver_command(const std::string& name, const Toolchain& toolchain,
                                        const std::vector<std::string>& arguments);

// The folder over bin/, in which this executable lies.
std::string installation_prefix();

}  // namespace thrum
