// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where what a program does may depend on the addresses of its blocks, and not only on which block a pointer
// points to: hash functions of addresses, orders of pointers, and the like. Code for a search of states says
// so when it runs (vm/heap_symmetry.hpp).
//
// The rule: what is computed from an address is an address in the same block, or its tag (the lowest 4 bits
// and the highest 16). Which integers are addresses shows when the code runs: it looks at each integer of 64
// bits that is computed with, and at each word of which a part is read. To load, to store, to pass on, and to
// compare for equality is harmless.
#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include "bitcode/function_decoder.hpp"
#include "bitcode/module_decoder.hpp"

namespace thrum::bitcode {

using vm::Opcode;

namespace {

constexpr std::uint64_t kTagBits = 0xffff'0000'0000'000f;  // blocks begin at multiples of 16

bool is_number(const llvm::Value& value, unsigned bits) { return value.getType()->isIntegerTy(bits); }
bool is_word(const llvm::Value& value) { return is_number(value, 64) || value.getType()->isPointerTy(); }

// Whether it takes a tag out of its first operand.
bool takes_tag(const llvm::BinaryOperator& binary) {
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(binary.getOperand(1));
  if (number == nullptr) return false;
  switch (binary.getOpcode()) {
    case llvm::Instruction::And: return (number->getZExtValue() & ~kTagBits) == 0;
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr: return number->getZExtValue() >= 48;
    default: return false;
  }
}

// Of two words that become one, or the reverse.
bool joins_words(const llvm::BinaryOperator& binary) {
  if (binary.getOpcode() == llvm::Instruction::Or) return true;
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(binary.getOperand(1));
  const bool shifts =
      binary.getOpcode() == llvm::Instruction::Shl || binary.getOpcode() == llvm::Instruction::LShr;
  return shifts && number != nullptr && number->getValue() == 64;
}

}  // namespace

// The value, if it is an address, is used as a number.
void FunctionDecoder::note_escape(const llvm::Value& of) {
  if (llvm::isa<llvm::Constant>(of)) return;
  for (const Slot slot : Slots(value(of))) emit(Opcode::escape, 0, slot);
}

void FunctionDecoder::note_escapes_of_binary(const llvm::BinaryOperator& binary) {
  const llvm::Value& first = *binary.getOperand(0);
  const llvm::Value& second = *binary.getOperand(1);
  if (is_number(binary, 128)) {
    if (joins_words(binary)) return;
    note_escape(first);
    note_escape(second);
    return;
  }
  if (!is_number(binary, 64) || takes_tag(binary)) return;
  const Slot result = single(binary);
  if (binary.getOpcode() == llvm::Instruction::Sub && !llvm::isa<llvm::Constant>(second)) {
    emit(Opcode::difference, 0, single(first), single(second), result);
    return;
  }
  for (const llvm::Value* const operand : {&first, &second}) {
    if (!llvm::isa<llvm::Constant>(operand)) emit(Opcode::stay_in_block, 0, single(*operand), result);
  }
}

void FunctionDecoder::note_escapes_of_cast(const llvm::CastInst& cast) {
  const llvm::Value& from = *cast.getOperand(0);
  const bool is_of_word = is_word(from) || is_number(from, 128);
  switch (cast.getOpcode()) {
    case llvm::Instruction::Trunc:
    case llvm::Instruction::PtrToInt:
      if (is_of_word && cast.getType()->isIntegerTy() && cast.getType()->getIntegerBitWidth() < 64)
        note_escape(from);
      return;
    case llvm::Instruction::BitCast:
      if (is_of_word && !is_word(cast) && !is_number(cast, 128)) note_escape(from);
      return;
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::SIToFP:
      if (is_of_word) note_escape(from);
      return;
    default: return;
  }
}

// Emits what notes that an address escapes in the instruction, whose code comes before.
void FunctionDecoder::note_escapes(const llvm::Instruction& instruction) {
  if (const auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return note_escapes_of_binary(*binary);
  if (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return note_escapes_of_cast(*cast);
  if (const auto* const comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
    const llvm::Value& first = *comparison->getOperand(0);
    const llvm::Value& second = *comparison->getOperand(1);
    if (comparison->isEquality()) return;
    if (is_word(first)) {
      emit(Opcode::compare_blocks, 0, single(first), single(second));
    } else if (is_number(first, 128)) {
      note_escape(first);
      note_escape(second);
    }
    return;
  }
  if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    if (!intrinsic->getType()->isIntegerTy() && !intrinsic->getType()->isStructTy()) return;
    for (const llvm::Value* const argument : intrinsic->args()) {
      if (is_number(*argument, 64)) note_escape(*argument);
    }
    return;
  }
  if (const auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    if (update->getOperation() != llvm::AtomicRMWInst::Xchg && is_number(*update, 64))
      emit(Opcode::escape, 0, single(*update));
    return;
  }
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (load->getType()->isDoubleTy()) emit(Opcode::escape, 0, single(*load));
  }
}

}  // namespace thrum::bitcode
