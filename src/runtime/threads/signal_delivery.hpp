// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sending signals to threads and running their handlers.
//
// A signal that is sent becomes pending. A thread for which one is pending goes on by handling it: that is
// its option at the choices that follow (docs/semantics.md, "Signals and timers"). Where POSIX promises that
// a signal is delivered before a call returns, the call handles it itself. A handler is a call on the stack
// of its thread, as in a real process.
#pragma once

#include <csignal>
#include <cstdint>

#include "runtime/kernel/signals.hpp"
#include "runtime/threads/hooks.hpp"

namespace thrum {

struct Thread;

// Makes a signal pending: for the thread, or (nullptr) for the process. Ignored ones vanish; one that ends
// the process does so at once where somebody does not block it.
void send_signal(Thread* target, const siginfo_t& info, std::uint64_t code);

// What a program's call sends: like info of kill(2).
siginfo_t make_info(int signal, int si_code);

// The running thread handles all that are deliverable to it.
void handle_signals(std::uint64_t code);

// Likewise what was sent to itself.
void handle_own_signals(std::uint64_t code);

// The running thread waits until it has handled all that was sent to itself, which must not wait until it has
// ended.
void await_own_handlers(std::uint64_t code);

// No other thread than the running one would handle that signal of the process's.
bool only_mine(int signal);

// Whether that signal would end the process, or stop it, if sent to the process or the thread.
bool is_fatal(int signal, const Thread* target);

// The process ends by that signal: a bug.
[[noreturn, gnu::cold]] void end_by_signal(int signal, std::uint64_t code);

// The running thread has caused a fault for which the program has a handler: arranges that it runs when the
// runtime's own returns, as the kernel would have called it. False where there is no handler.
bool redirect_fault(int signal, const siginfo_t* info, void* raw_context);

// Takes a signal off those pending for the running thread, with what it counts for its timer.
siginfo_t accept_signal(SignalSet set);

}  // namespace thrum
