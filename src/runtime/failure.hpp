// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program under test fails: a bug, found.
#pragma once

#include <csignal>

#include "model/bug.hpp"
#include "model/trace.hpp"
#include "protocol/channel.hpp"

namespace thrum {

// Ends the execution with that bug; before the first choice, the process.
[[noreturn, gnu::cold]] void fail(Failure failure);

// The same for the running thread, at the place in the program that called into the runtime.
[[noreturn, gnu::cold]] void fail_here(BugKind kind, const char* message);

// Ends the execution where it is known to kill the process, which it is about to do.
[[noreturn, gnu::cold]] void fail_fatally(const FatalPlan& plan);

// Writes down what the threads that live on beside the failing one stand before.
void note_others(Trace& trace);

// Writes the running stack into trace.failure_stack.
void capture_failure_stack(Trace& trace);

// Installs a handler that runs on the runtime's own signal stack.
void handle_signal(int signal, void (*handler)(int, siginfo_t*, void*));

// The system thread that calls takes its signals on a stack of its own from now on. slot: another one for
// each system thread; 0: of main.
void use_signal_stack(std::size_t slot);

// Crashes, hangs, and first writes to pages of the snapshot.
void install_signal_handlers();

}  // namespace thrum
