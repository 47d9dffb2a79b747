// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what a worker reported to what is said to the user.
#pragma once

#include "cli/error.hpp"
#include "cli/options.hpp"
#include "report/result.hpp"
#include "supervisor/worker.hpp"

namespace thrum {

// All but the bugs, which need names for their places.
TestResult judge(const WorkerOutcome& outcome, const CheckOptions& options);

// The exit code that the search's end stands for.
ExitCode exit_code(const WorkerOutcome& outcome, const CheckOptions& options);

}  // namespace thrum
