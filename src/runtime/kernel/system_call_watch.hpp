// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls that the program and its libraries make while an execution runs, libc's own included. They
// come here by the kernel's syscall user dispatch (Linux 5.11): each raises a signal, which costs
// microseconds, and nothing on the way of those who make none.
//
// What an execution does outside memory is not rolled back. So a call is either harmless, or answered here,
// or named in the result, which is then inconclusive.
#pragma once

#include <csignal>

namespace thrum {

// Begins to watch the calls of the system thread that calls, if the kernel can. REQUIRES: called on each that
// runs the program.
void watch_system_calls();
// Once more in a copy of the process.
void rewatch_system_calls();

// Whether calls are caught at present: they are while an execution runs.
void catch_system_calls(bool on);

// Answers a call that was caught. Defined in intercept/system_calls.cpp.
void on_system_call(int signal, siginfo_t* info, void* context);

}  // namespace thrum
