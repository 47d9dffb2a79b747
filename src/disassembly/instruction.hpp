// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction does to preserved registers, and where it goes. x86-64, decoded by Capstone.
#pragma once

#include <cstdint>
#include <span>

#include "disassembly/registers.hpp"

struct cs_insn;

namespace thrum {

struct Instruction {
  enum class Flow : std::uint8_t {
    next,     // to the next instruction
    jump,     // to its target
    branch,   // to either
    call,     // to the next instruction, unless the called function does not return
    trap,     // to the handler of a fault, which may go on with the next instruction
    unknown,  // anywhere: a return, a jump whose target is computed
  };
  std::uint64_t next = 0;  // the address of the next instruction
  std::uint64_t target = 0;
  Flow flow = Flow::unknown;
  RegisterSet uses = kAllRegisters;  // it may depend on their values
  RegisterSet overwrites = 0;        // it gives them values that do not depend on the ones before
};

class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // The instruction at the beginning of the bytes, which lie at that address. One that cannot be decoded goes
  // anywhere and uses all registers.
  Instruction decode(std::span<const unsigned char> code, std::uint64_t address);

 private:
  std::size_t handle_ = 0;  // of Capstone; 0: it could not be had
  cs_insn* instruction_ = nullptr;
};

}  // namespace thrum
