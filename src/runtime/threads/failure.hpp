// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program under test fails: a bug is found (base/engine.hpp declares fail()).
#pragma once

#include <csignal>

#include "model/bug.hpp"
#include "model/trace.hpp"
#include "protocol/channel.hpp"
#include "runtime/base/engine.hpp"

namespace thrum {

// Ends the execution at the step after which it is known to kill the process.
[[noreturn, gnu::cold]] void fail_fatally(const FatalPlan& plan);

// Records the pending operations of the other live threads.
void note_others(Trace& trace);

// Records the running stack in trace.details.failure_stack.
void capture_failure_stack(Trace& trace);

// Installs handlers for crashes, hangs, and first writes to pages of the snapshot.
void install_signal_handlers();

}  // namespace thrum
