// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of the runtime's own signals, which libc knows nothing of: libc's sigaction() is the program's.
#pragma once

#include <csignal>
#include <cstddef>

namespace thrum {

// Installs a handler that runs on the runtime's own signal stack.
void handle_signal(int signal, void (*handler)(int, siginfo_t*, void*));

// The system thread that calls takes its signals on a stack of its own from now on. slot: another one for
// each system thread; 0: of main.
void use_signal_stack(std::size_t slot);

// What has failed fails again behind the handler that calls this, and ends the process.
void handle_by_default(int signal);

}  // namespace thrum
