// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls of the program and its libraries, including libc, during an execution. The kernel's syscall
// user dispatch (Linux 5.11) reports them: each call raises a signal, which costs microseconds. Code without
// system calls is not slowed down.
//
// Effects outside memory are not rolled back. So a call is harmless, or answered by the runtime, or named in
// the result, which is then inconclusive.
#pragma once

#include <csignal>

namespace thrum {

// Begins to watch the calls of the calling system thread, if the kernel can. REQUIRES: called on each system
// thread that runs the program.
void watch_system_calls();
// The same again in a copy of the process.
void rewatch_system_calls();

// Switches catching on or off. Calls are caught while an execution runs.
void catch_system_calls(bool on);

// Answers a caught call. Defined in intercept/system_calls.cpp.
void on_system_call(int signal, siginfo_t* info, void* context);

}  // namespace thrum
