// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the first worker does, from the first choice to its report: searches, begins anew where something was
// learned that changes what executions are, and simplifies what it has found. Or it replays one schedule.
#pragma once

namespace thrum {

// REQUIRES: called on the engine's stack, with the snapshot taken.
[[noreturn]] void run_search();

}  // namespace thrum
