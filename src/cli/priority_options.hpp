// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of best-first search, and the memory of searches.
#pragma once

#include <string>

#include "protocol/job.hpp"
#include "verdict/check_options.hpp"

namespace thrum {

// Checks these options and fills in options.settings. Throws UserError.
void validate_priorities(CheckOptions& options);

// Looks up the names of --focus-method and --focus-var in the program. Throws UserError if one is missing.
void find_focus(const CheckOptions& options, const std::string& program, Job& job);

}  // namespace thrum
