// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals by name, as in POSIX: "SIGUSR1", "SIGRTMIN+3".
#pragma once

#include <string>

namespace thrum {

std::string signal_name(int number);

}  // namespace thrum
