// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program under test fails: a bug, found (fail() is declared in base/engine.hpp).
#pragma once

#include <csignal>

#include "model/bug.hpp"
#include "model/trace.hpp"
#include "protocol/channel.hpp"
#include "runtime/base/engine.hpp"

namespace thrum {

// Ends the execution where it is known to kill the process, which it is about to do.
[[noreturn, gnu::cold]] void fail_fatally(const FatalPlan& plan);

// Writes down what the threads that live on beside the failing one stand before.
void note_others(Trace& trace);

// Writes the running stack into trace.details.failure_stack.
void capture_failure_stack(Trace& trace);

// Crashes, hangs, and first writes to pages of the snapshot.
void install_signal_handlers();

}  // namespace thrum
