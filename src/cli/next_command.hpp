// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command to run next after an inconclusive check.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/result.hpp"
#include "supervisor/worker.hpp"

namespace thrum {

// The one command that is most likely to help, for a shell; empty if none is known. test: the judged result;
// command: the words of the command line of this check, "thrum" first.
std::string next_command(const WorkerOutcome& outcome, const CheckOptions& options, const TestResult& test,
                         const std::vector<std::string>& command);

}  // namespace thrum
