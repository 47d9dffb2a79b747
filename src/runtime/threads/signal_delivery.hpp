// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sending signals to threads and running their handlers.
//
// A signal that is sent becomes pending. A thread for which a signal is pending goes on by handling it: this
// is its option at the choices that follow (docs/semantics.md, "Signals, timers, cancellation"). If POSIX
// promises that a signal is delivered before a call returns, the call handles the signal itself. A handler is
// a call on the stack of its thread, as in a real process.
#pragma once

#include <csignal>
#include <cstdint>

#include "runtime/kernel/signals.hpp"
#include "runtime/threads/hooks.hpp"

namespace thrum {

struct Thread;

// Makes a signal pending, for the thread or (nullptr) for the process. Ignored signals vanish. A signal that
// ends the process does so at once if some thread does not block it.
void send_signal(Thread* target, const siginfo_t& info, std::uint64_t code);

// The signal information of a call like kill(2).
siginfo_t make_info(int signal, int si_code);

// The running thread handles all signals that are deliverable to it.
void handle_signals(std::uint64_t code);

// The same for signals that were sent to the thread itself.
void handle_own_signals(std::uint64_t code);

// The running thread waits until it has handled all signals that were sent to it: this must happen before it
// ends.
void await_own_handlers(std::uint64_t code);

// Whether no thread but the running one would handle that signal of the process.
bool only_mine(int signal);

// Whether that signal would end the process, or stop it, if sent to the process or the thread.
bool is_fatal(int signal, const Thread* target);

// The process ends by that signal: a bug.
[[noreturn, gnu::cold]] void end_by_signal(int signal, std::uint64_t code);

// The running thread has caused a fault for which the program has a handler. Makes the program's handler run
// when the runtime's returns, as the kernel would have called it. False if the program has no handler.
bool redirect_fault(int signal, const siginfo_t* info, void* raw_context);

// Accepts a signal of the set that is pending for the running thread, and counts it for its timer.
siginfo_t accept_signal(SignalSet set);

}  // namespace thrum
