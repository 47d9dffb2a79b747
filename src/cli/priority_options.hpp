// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of best-first search, and of the memory of searches.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "protocol/job.hpp"
#include "verdict/check_options.hpp"

namespace thrum {

// Makes the command line fill in options, which must outlive app.
void add_priority_options(CLI::App& app, CheckOptions& options);

// Fills in options.settings. Throws UserError for what cannot be.
void validate_priorities(CheckOptions& options);

// Looks the names of --focus-method and --focus-var up in the program. Throws UserError where there is no
// such name.
void find_focus(const CheckOptions& options, const std::string& program, Job& job);

}  // namespace thrum
