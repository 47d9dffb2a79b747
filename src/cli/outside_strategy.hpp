// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strategies that run in this process, and lead the program under test in another one, since they need a
// solver.
#pragma once

#include <functional>
#include <memory>

#include "cli/load_module.hpp"
#include "protocol/job.hpp"

namespace thrum {

// Makes the job's strategy; empty if it runs with the program under test. Throws UserError if this build has
// no solver.
std::function<std::unique_ptr<Strategy>()> outside_strategy(const Job& job);

extern const ModuleOf kSolver;

}  // namespace thrum
