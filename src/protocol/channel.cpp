// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/channel.hpp"

#include <csignal>

namespace thrum {

// Ignored if no handler is installed.
int bell_signal() { return SIGURG; }

int hang_signal() { return SIGRTMAX - 1; }

}  // namespace thrum
