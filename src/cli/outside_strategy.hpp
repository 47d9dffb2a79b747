// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strategies that run in this process, and lead the program under test in another one, since they need a
// solver.
#pragma once

#include <cstdint>

#include "cli/load_module.hpp"
#include "protocol/job.hpp"
#include "protocol/remote_strategy.hpp"

namespace thrum {

// Whether a member of the job's strategy may run here: `auto` may search by constraint solving.
bool may_have_solver(const Job& job);

// The job's strategy, for so many workers, or where it has a solver (Job::has_solver) that member of it;
// empty if it runs with the program under test. Throws UserError if this build has no solver.
OutsideStrategy outside_strategy(const Job& job, std::uint64_t jobs);

extern const ModuleOf kSolver;

}  // namespace thrum
