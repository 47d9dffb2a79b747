// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The warnings of the running search (worker/warnings.hpp), and what they ask of this engine.
#pragma once

#include "runtime/base/forever.hpp"
#include "worker/warnings.hpp"

namespace thrum {

extern constinit Forever<Warnings> the_warnings;
inline Warnings& warnings() { return the_warnings.value; }

// The running thread ends the process while others live.
void look_at_exit();

}  // namespace thrum
