// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's warnings in words.
#pragma once

#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "report/result.hpp"

namespace thrum {

// Fills in test.warnings. program: the file that ran. REQUIRES: test.verdict and test.complete are known.
void describe_warnings(const Report& report, const ThreadNames& names, const std::string& program,
                       TestResult& test);

}  // namespace thrum
