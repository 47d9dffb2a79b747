// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search by constraint solving has shown of places in the program, with their lines.
#pragma once

#include "report/result.hpp"
#include "supervisor/worker_outcome.hpp"

namespace thrum {

// lists_reads: the reads are wanted. is_weakened: the search did not see all that the program did, so that
// nothing is proved.
void add_decisions(const WorkerOutcome& outcome, bool lists_reads, bool is_weakened, CausalityResult& result);

}  // namespace thrum
