// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where two runs of one schedule differ, for people.
#pragma once

#include <optional>
#include <string>

#include "protocol/job.hpp"
#include "report/result.hpp"

namespace thrum {

// Nothing where the search did not meet any.
std::optional<DivergenceResult> describe_divergence(const Report& report, const ThreadNames& names,
                                                    const std::string& program);

}  // namespace thrum
