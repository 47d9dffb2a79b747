// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what a worker reported to what is said to the user.
#pragma once

#include <string>
#include <vector>

#include "report/instrumentation.hpp"
#include "report/result.hpp"
#include "supervisor/worker.hpp"
#include "verdict/check_options.hpp"
#include "verdict/error.hpp"

namespace thrum {

// An instrumented module of the program, and the files that it was linked from.
struct LinkedModule {
  std::string path;
  ModuleFiles files;
};

// All but the name and the bugs, which need names for their places. death_test: the process that the test was
// to make, and was stopped at, is that of a death test. time_seconds: what the search was given. modules:
// those of which it is to be said which of their files were not instrumented.
TestResult judge(const WorkerOutcome& outcome, const CheckOptions& options, bool death_test = false,
                 double time_seconds = 0, const std::vector<LinkedModule>& modules = {});

// What the test's bugs are to its verdict and reason, once it is known which are new and which were
// suppressed.
void weigh_bugs(TestResult& test);

// The exit code that the search's end stands for. test: its result, with its bugs weighed.
ExitCode exit_code(const WorkerOutcome& outcome, const CheckOptions& options, const TestResult& test);

// Of the codes of two tests.
ExitCode worse(ExitCode a, ExitCode b);

// Whether what could not be controlled was done by a death test of GoogleTest, which makes processes.
bool is_death_test(const Report& report);

}  // namespace thrum
