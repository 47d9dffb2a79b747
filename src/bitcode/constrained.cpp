// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode/constrained.hpp"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/NoFolder.h>

namespace thrum::bitcode {

namespace {

namespace Intrinsic = llvm::Intrinsic;
using Builder = llvm::IRBuilder<llvm::NoFolder>;

// The ordinary instruction of an operation that has one.
unsigned instruction_of(Intrinsic::ID id) {
  switch (id) {
#define DAG_INSTRUCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN) \
  case Intrinsic::INTRINSIC:                                     \
    return llvm::Instruction::NAME;
#define DAG_FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN)
#define FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC)
#define CMP_INSTRUCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN)
#include <llvm/IR/ConstrainedOps.def>
    default: return 0;
  }
}

// The ordinary function of a function.
#define THRUM_FUNCTION_OF(NAME, INTRINSIC) \
  case Intrinsic::INTRINSIC: return Intrinsic::NAME;

Intrinsic::ID function_of(Intrinsic::ID id) {
  switch (id) {
#define FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC) THRUM_FUNCTION_OF(NAME, INTRINSIC)
#define DAG_FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN) THRUM_FUNCTION_OF(NAME, INTRINSIC)
#define DAG_INSTRUCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN)
#include <llvm/IR/ConstrainedOps.def>
    default: return Intrinsic::not_intrinsic;
  }
}
#undef THRUM_FUNCTION_OF

// nullptr: there is none.
llvm::Value* ordinary(Builder& builder, llvm::ConstrainedFPIntrinsic& call) {
  const Intrinsic::ID id = call.getIntrinsicID();
  llvm::Value* const first = call.getArgOperand(0);
  if (const auto* comparison = llvm::dyn_cast<llvm::ConstrainedFPCmpIntrinsic>(&call))
    return builder.CreateFCmp(comparison->getPredicate(), first, call.getArgOperand(1));
  if (const unsigned opcode = instruction_of(id); opcode != 0) {
    if (llvm::Instruction::isCast(opcode))
      return builder.CreateCast(static_cast<llvm::Instruction::CastOps>(opcode), first, call.getType());
    if (!llvm::Instruction::isBinaryOp(opcode)) return nullptr;
    return builder.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(opcode), first,
                               call.getArgOperand(1));
  }
  const Intrinsic::ID plain = function_of(id);
  if (plain == Intrinsic::not_intrinsic) return nullptr;
  std::vector<llvm::Value*> arguments(call.arg_begin(), call.arg_begin() + call.getNonMetadataArgCount());
  std::vector<llvm::Type*> types = {call.getType()};
  const bool has_two_types = plain == Intrinsic::lrint || plain == Intrinsic::llrint ||
                             plain == Intrinsic::lround || plain == Intrinsic::llround ||
                             plain == Intrinsic::ldexp || plain == Intrinsic::powi;
  if (has_two_types) types.push_back(arguments.back()->getType());
  return builder.CreateIntrinsic(plain, types, arguments);
}

}  // namespace

void replace_constrained(llvm::Function& function) {
  if (!function.hasFnAttribute(llvm::Attribute::StrictFP)) return;
  std::vector<llvm::ConstrainedFPIntrinsic*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* const call = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&instruction)) calls.push_back(call);
  }
  for (llvm::ConstrainedFPIntrinsic* const call : calls) {
    Builder builder(call);
    llvm::Value* const made = ordinary(builder, *call);
    if (made == nullptr) continue;
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
}

}  // namespace thrum::bitcode
