// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The digest of the events of all executions of a search (Job::digest_traces).
#pragma once

#include "model/trace.hpp"
#include "support/digest.hpp"

namespace thrum {

// Adds an execution. REQUIRES: the trace has all its events.
void add_to_digest(Digest& digest, const Trace& trace);

}  // namespace thrum
