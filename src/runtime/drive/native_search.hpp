// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first worker, from the first choice to its report. It searches, begins again if something was learned
// that changes what executions are, and simplifies the bugs that it has found. Or it replays one schedule.
#pragma once

namespace thrum {

// REQUIRES: called on the engine's stack, with the snapshot taken.
[[noreturn]] void run_search();

}  // namespace thrum
