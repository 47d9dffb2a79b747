// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction does to preserved registers and the stack, and where it goes. x86-64, decoded by
// Capstone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "disassembly/live_state.hpp"

struct cs_insn;

namespace thrum {

// Bytes of the stack, from an offset to the stack pointer on. No bytes: size 0.
struct StackBytes {
  std::int64_t offset = 0;
  std::uint32_t size = 0;
};

struct Instruction {
  enum class Flow : std::uint8_t {
    next,     // to the next instruction
    jump,     // to its target
    branch,   // to either
    call,     // to the next instruction, unless the called function does not return
    trap,     // to the handler of a fault, which may go on with the next instruction
    back,     // to the caller
    unknown,  // anywhere: a jump whose target is computed
  };
  std::uint64_t next = 0;  // the address of the next instruction
  std::uint64_t target = 0;
  std::uint64_t pointer = 0;  // of a jump or call: where its target lies in memory, if that is known; else 0
  Flow flow = Flow::unknown;
  RegisterSet uses = kAllRegisters;  // it may depend on their values
  RegisterSet overwrites = 0;        // it gives them values that do not depend on the ones before

  bool reads_memory = true;  // by a pointer, which may point into the stack
  StackBytes reads;          // of the stack
  StackBytes writes;         // whatever they held before
  std::int64_t moves = 0;    // the stack pointer, by so many bytes
  bool loses_stack = true;   // the stack pointer is not known from then on
};

class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // The instruction at the beginning of the bytes, which lie at that address. One that cannot be decoded goes
  // anywhere and uses everything.
  Instruction decode(std::span<const unsigned char> code, std::uint64_t address);

 private:
  std::size_t handle_ = 0;  // of Capstone; 0: it could not be had
  cs_insn* instruction_ = nullptr;
};

}  // namespace thrum
