// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of the runtime's own signals. libc knows nothing of them: libc's sigaction() belongs to the
// program.
#pragma once

#include <csignal>
#include <cstddef>

namespace thrum {

// Installs a handler that runs on the runtime's own signal stack.
void handle_signal(int signal, void (*handler)(int, siginfo_t*, void*));

// From now on the calling system thread takes its signals on a stack of its own. slot: a different one for
// each system thread; 0: main's.
void use_signal_stack(std::size_t slot);

// Called by a handler. When it returns, the fault happens again and ends the process.
void handle_by_default(int signal);

}  // namespace thrum
