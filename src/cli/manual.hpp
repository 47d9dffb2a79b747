// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All commands and their options, made from the command line and its tables: `thrum options`.
// docs/options.md is one of these texts; the build installs the others.
//
// Tested by manual_test.cpp.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "cli/command_tables.hpp"

namespace thrum {

// docs/options.md.
std::string markdown_manual(const CLI::App& app);

// A page in the language of man(7).
std::string man_page(const CLI::App& app);

// A script that tells bash how to complete the command line.
std::string bash_completion(const CLI::App& app);

// Prints the text that the options name. Throws UserError where they do not name one.
int manual_command(const CLI::App& app, const ManualOptions& options);

}  // namespace thrum
