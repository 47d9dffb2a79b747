// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what a worker reported to what is said to the user.
#pragma once

#include "cli/error.hpp"
#include "cli/options.hpp"
#include "report/result.hpp"
#include "supervisor/worker.hpp"

namespace thrum {

// All but the name and the bugs, which need names for their places. death_test: the process that the test was
// to make, and was stopped at, is that of a death test. time_seconds: what the search was given.
TestResult judge(const WorkerOutcome& outcome, const CheckOptions& options, bool death_test = false,
                 double time_seconds = 0);

// The exit code that the search's end stands for.
ExitCode exit_code(const WorkerOutcome& outcome, const CheckOptions& options, Verdict verdict);

// Of the codes of two tests.
ExitCode worse(ExitCode a, ExitCode b);

// Whether what could not be controlled was done by a death test of GoogleTest, which makes processes.
bool is_death_test(const Report& report);

}  // namespace thrum
