// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers and words of the stack are live at a call: behind it, the program may still use their
// values. The supervisor knows, since it can read the machine code (disassembly/liveness.hpp).
#pragma once

#include <cstdint>

namespace thrum {

struct Liveness {
  std::uint8_t registers;  // bit i: CallerState::registers[i]
  std::uint64_t words;     // bit i: the 4 bytes at 4 * i behind the return address; what lies behind is live
};

// code: the call's return address. Everything where that is not known. Each call is asked for once in a
// process.
Liveness liveness_at(std::uint64_t code);

}  // namespace thrum
