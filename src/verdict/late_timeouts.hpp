// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timed waits that are too long to run out while others can go on (--early-timeouts), as an assumption.
#pragma once

#include <vector>

#include "protocol/job.hpp"
#include "report/result.hpp"
#include "verdict/check_options.hpp"

namespace thrum {

// Adds one that names their places, where the search has met such waits.
void add_late_timeouts(const Report& report, const CheckOptions& options, std::vector<Assumption>& list);

}  // namespace thrum
