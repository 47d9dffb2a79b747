// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A system call of the program.
#pragma once

#include <cstdint>

namespace thrum {

struct SystemCall {
  long number;
  long arguments[6];
};

// Makes the call. If the kernel fails at pages that the snapshot protects, the call is made again.
long perform(const SystemCall& call);

// The same call with other first arguments.
template <typename... Arguments>
SystemCall with_arguments(SystemCall call, Arguments... arguments) {
  int at = 0;
  ((call.arguments[at++] = static_cast<long>(arguments)), ...);
  return call;
}

// Makes bytes writable that the kernel will write.
void prepare_buffer(long address, long size);

// Answers a system call of the program in an execution, as system_call_table.hpp says. May end the execution.
long answer_system_call(const SystemCall& call);

inline bool is_error(long result) { return result < 0 && result >= -4095; }

}  // namespace thrum
