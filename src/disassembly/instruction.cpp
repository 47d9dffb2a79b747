// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "disassembly/instruction.hpp"

#include <capstone/capstone.h>

#include <algorithm>

namespace thrum {

namespace {

struct Register {
  RegisterSet set = 0;
  bool is_whole = false;  // to write it leaves nothing of the old value: 32 bits clear the upper half
};

Register preserved_register(unsigned name) {
  const auto whole = [](Preserved one) { return Register{set_of(one), true}; };
  const auto part = [](Preserved one) { return Register{set_of(one), false}; };
  switch (name) {
    case X86_REG_RBX:
    case X86_REG_EBX: return whole(Preserved::rbx);
    case X86_REG_BX:
    case X86_REG_BH:
    case X86_REG_BL: return part(Preserved::rbx);
    case X86_REG_RBP:
    case X86_REG_EBP: return whole(Preserved::rbp);
    case X86_REG_BP:
    case X86_REG_BPL: return part(Preserved::rbp);
    case X86_REG_R12:
    case X86_REG_R12D: return whole(Preserved::r12);
    case X86_REG_R12W:
    case X86_REG_R12B: return part(Preserved::r12);
    case X86_REG_R13:
    case X86_REG_R13D: return whole(Preserved::r13);
    case X86_REG_R13W:
    case X86_REG_R13B: return part(Preserved::r13);
    case X86_REG_R14:
    case X86_REG_R14D: return whole(Preserved::r14);
    case X86_REG_R14W:
    case X86_REG_R14B: return part(Preserved::r14);
    case X86_REG_R15:
    case X86_REG_R15D: return whole(Preserved::r15);
    case X86_REG_R15W:
    case X86_REG_R15B: return part(Preserved::r15);
    default: return {};
  }
}

RegisterSet mentioned(const cs_x86_op& operand) {
  if (operand.type == X86_OP_REG) return preserved_register(operand.reg).set;
  if (operand.type != X86_OP_MEM) return 0;
  return preserved_register(operand.mem.base).set | preserved_register(operand.mem.index).set;
}

bool is_register(const cs_x86_op& operand) { return operand.type == X86_OP_REG; }

// Whether it only writes its first operand.
bool only_writes(const cs_insn& instruction) {
  const cs_x86& x86 = instruction.detail->x86;
  switch (instruction.id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
    case X86_INS_LEA:
    case X86_INS_POP: return true;
    case X86_INS_XOR:
    case X86_INS_SUB:  // of a register and itself: the result is 0
      return x86.op_count == 2 && is_register(x86.operands[0]) && is_register(x86.operands[1]) &&
             x86.operands[0].reg == x86.operands[1].reg;
    default: return false;
  }
}

// Registers that are used, but are no operands.
RegisterSet implicitly_used(const cs_insn& instruction) {
  switch (instruction.id) {
    case X86_INS_LEAVE:
    case X86_INS_ENTER: return set_of(Preserved::rbp);
    case X86_INS_CMPXCHG8B:
    case X86_INS_CMPXCHG16B:
    case X86_INS_XLATB: return set_of(Preserved::rbx);
    default: break;
  }
  RegisterSet used = 0;
  for (unsigned i = 0; i < instruction.detail->regs_read_count; ++i)
    used |= preserved_register(instruction.detail->regs_read[i]).set;
  return used;
}

bool is_in_group(const cs_insn& instruction, unsigned group) {
  const cs_detail& detail = *instruction.detail;
  return std::find(detail.groups, detail.groups + detail.groups_count, group) !=
         detail.groups + detail.groups_count;
}

// ---- The stack

bool is_stack_pointer(const cs_x86_op& operand) {
  return is_register(operand) &&
         (operand.reg == X86_REG_RSP || operand.reg == X86_REG_ESP || operand.reg == X86_REG_SP);
}

bool is_address_only(const cs_insn& instruction) {
  return instruction.id == X86_INS_LEA || instruction.id == X86_INS_NOP;
}

// Whether the instruction writes all of its first operand, and does not read it.
bool only_stores(const cs_insn& instruction) {
  switch (instruction.id) {
    case X86_INS_MOV:
    case X86_INS_MOVAPS:
    case X86_INS_MOVUPS:
    case X86_INS_MOVDQA:
    case X86_INS_MOVDQU:
    case X86_INS_MOVQ:
    case X86_INS_MOVD:
    case X86_INS_MOVSS:
    case X86_INS_MOVSD: return true;
    default: return false;
  }
}

void add_memory(const cs_insn& instruction, unsigned index, Instruction& result) {
  const cs_x86_op& operand = instruction.detail->x86.operands[index];
  const x86_op_mem& place = operand.mem;
  const bool is_plain = place.segment == X86_REG_INVALID && place.index == X86_REG_INVALID;
  const bool is_store = index == 0 && only_stores(instruction);
  if (is_address_only(instruction)) return;
  if (is_plain && place.base == X86_REG_RIP) {
    result.pointer = result.next + static_cast<std::uint64_t>(place.disp);
  } else if (is_plain && place.base == X86_REG_RSP) {
    const StackBytes bytes{place.disp, operand.size};
    if (is_store) result.writes = bytes;
    if (!is_store && result.reads.size != 0) result.reads_memory = true;  // there is one already
    if (!is_store) result.reads = bytes;
  } else if (!is_store) {
    result.reads_memory = true;
  }
}

// How it moves the stack pointer.
void set_stack(const cs_insn& instruction, Instruction& result) {
  constexpr std::int64_t kSlot = 8;
  const cs_x86& x86 = instruction.detail->x86;
  result.reads_memory = result.loses_stack = false;
  for (unsigned i = 0; i < x86.op_count; ++i) {
    if (x86.operands[i].type == X86_OP_MEM) add_memory(instruction, i, result);
  }
  const cs_x86_op& first = x86.operands[0];
  const cs_x86_op& second = x86.operands[1];
  const bool is_first = x86.op_count > 0 && is_stack_pointer(first);
  switch (instruction.id) {
    case X86_INS_PUSH:
      result.moves = -kSlot;
      result.loses_stack = first.size != kSlot || is_first;
      return;
    case X86_INS_POP:
      if (result.reads.size != 0 || result.writes.size != 0) result.reads_memory = true;
      result.reads = {0, kSlot};
      result.moves = kSlot;
      result.loses_stack = first.size != kSlot || is_first || !is_register(first);
      return;
    case X86_INS_SUB:
    case X86_INS_ADD:
      if (!is_first) break;
      result.loses_stack = second.type != X86_OP_IMM;
      if (!result.loses_stack) result.moves = instruction.id == X86_INS_ADD ? second.imm : -second.imm;
      return;
    case X86_INS_LEA:
      if (!is_first) break;
      result.loses_stack = second.mem.base != X86_REG_RSP || second.mem.index != X86_REG_INVALID;
      if (!result.loses_stack) result.moves = second.mem.disp;
      return;
    case X86_INS_MOV: result.loses_stack = is_first; return;  // to copy it is no change
    case X86_INS_LEAVE:
    case X86_INS_ENTER:
    case X86_INS_PUSHF:
    case X86_INS_PUSHFQ:
    case X86_INS_POPF:
    case X86_INS_POPFQ:
    case X86_INS_PUSHAW:
    case X86_INS_POPAW: result.loses_stack = true; return;
    default: break;
  }
  for (unsigned i = 0; i < x86.op_count; ++i)
    result.loses_stack = result.loses_stack || is_stack_pointer(x86.operands[i]);
}

// ---- Where it goes

void set_flow(const cs_insn& instruction, Instruction& result) {
  using Flow = Instruction::Flow;
  const cs_x86& x86 = instruction.detail->x86;
  result.flow = Flow::next;
  if (instruction.id == X86_INS_UD2 || instruction.id == X86_INS_HLT) {
    result.flow = Flow::trap;
  } else if (is_in_group(instruction, CS_GRP_CALL)) {
    result.flow = Flow::call;
    if (x86.op_count == 1 && x86.operands[0].type == X86_OP_IMM)
      result.target = static_cast<std::uint64_t>(x86.operands[0].imm);
  } else if (is_in_group(instruction, CS_GRP_JUMP)) {
    const bool is_known = x86.op_count == 1 && x86.operands[0].type == X86_OP_IMM;
    result.flow = !is_known ? Flow::unknown : instruction.id == X86_INS_JMP ? Flow::jump : Flow::branch;
    if (is_known) result.target = static_cast<std::uint64_t>(x86.operands[0].imm);
  } else if (is_in_group(instruction, CS_GRP_RET)) {
    result.flow = Flow::back;
  } else if (is_in_group(instruction, CS_GRP_IRET) || is_in_group(instruction, CS_GRP_BRANCH_RELATIVE)) {
    result.flow = Flow::unknown;
  } else if (is_in_group(instruction, CS_GRP_INT) && instruction.id != X86_INS_SYSCALL) {
    result.uses = kAllRegisters;  // int 0x80 passes arguments in rbx and rbp
  }
}

}  // namespace

Decoder::Decoder() {
  if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle_) != CS_ERR_OK) {
    handle_ = 0;
    return;
  }
  cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
  instruction_ = cs_malloc(handle_);
}

Decoder::~Decoder() {
  if (instruction_ != nullptr) cs_free(instruction_, 1);
  if (handle_ != 0) cs_close(&handle_);
}

Instruction Decoder::decode(std::span<const unsigned char> code, std::uint64_t address) {
  Instruction result;
  const std::uint8_t* bytes = code.data();
  std::size_t size = code.size();
  if (instruction_ == nullptr || !cs_disasm_iter(handle_, &bytes, &size, &address, instruction_))
    return result;
  const cs_x86& x86 = instruction_->detail->x86;
  result.next = address;
  result.uses = implicitly_used(*instruction_);
  for (unsigned i = 0; i < x86.op_count; ++i) result.uses |= mentioned(x86.operands[i]);
  if (x86.op_count > 0 && is_register(x86.operands[0]) && only_writes(*instruction_)) {
    const Register written = preserved_register(x86.operands[0].reg);
    const bool is_cleared = instruction_->id == X86_INS_XOR || instruction_->id == X86_INS_SUB;
    RegisterSet read = 0;
    for (unsigned i = 1; i < x86.op_count && !is_cleared; ++i) read |= mentioned(x86.operands[i]);
    if (written.is_whole) {
      result.overwrites = written.set;
      result.uses = static_cast<RegisterSet>((result.uses & ~written.set) | read);
    }
  }
  set_stack(*instruction_, result);
  set_flow(*instruction_, result);
  return result;
}

}  // namespace thrum
