// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to run next where a check could not tell.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/result.hpp"
#include "supervisor/worker.hpp"

namespace thrum {

// The one command that is most likely to help, for a shell; empty where none is known. test: as judged;
// command: the words of this one, "thrum" first.
std::string next_command(const WorkerOutcome& outcome, const CheckOptions& options, const TestResult& test,
                         const std::vector<std::string>& command);

}  // namespace thrum
