// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the registers in CallerState are live at a call: behind it, the program may still use their
// values. The supervisor knows, since it can read the machine code (disassembly/live_registers.hpp).
#pragma once

#include <cstdint>

namespace thrum {

// code: the call's return address. Bit i stands for CallerState::registers[i]. All where that is not known.
// Each call is asked for once in a process.
std::uint8_t live_registers(std::uint64_t code);

}  // namespace thrum
