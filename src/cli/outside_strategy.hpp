// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strategies that run in this process, and lead the program under test in another one, since they need a
// solver.
#pragma once

#include "cli/load_module.hpp"
#include "protocol/job.hpp"
#include "protocol/remote_strategy.hpp"

namespace thrum {

// Makes the job's strategy; empty if it runs with the program under test. Throws UserError if this build has
// no solver.
MakeOutside outside_strategy(const Job& job);

extern const ModuleOf kSolver;

}  // namespace thrum
