// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cmath>
#include <utility>

#include <llvm/IR/Intrinsics.h>

#include "vm/random_generator.hpp"

namespace random_function {

namespace Intrinsic = llvm::Intrinsic;

void Generator::binary() {
  constexpr Instruction::BinaryOps kOperations[] = {
      Instruction::Add,  Instruction::Sub,  Instruction::Mul,  Instruction::And,  Instruction::Or,
      Instruction::Xor,  Instruction::Shl,  Instruction::LShr, Instruction::AShr, Instruction::UDiv,
      Instruction::SDiv, Instruction::URem, Instruction::SRem};
  const Instruction::BinaryOps operation = one_of(kOperations);
  Type* const type = random_integer();
  const unsigned bits = type->getIntegerBitWidth();
  Value* const a = value(type);
  Value* b = value(type);
  if (operation == Instruction::Shl || operation == Instruction::LShr || operation == Instruction::AShr) {
    b = masked(b);
  } else if (operation == Instruction::UDiv || operation == Instruction::URem) {
    b = b_.CreateOr(b, number(type, 1));
  } else if (operation == Instruction::SDiv || operation == Instruction::SRem) {
    if (bits == 1) return;
    // Not 0, and -1 only where it cannot overflow.
    if (chance(30)) {
      b = b_.CreateOr(b, number(type, 1));
      Value* const wrong = b_.CreateICmpEQ(b, llvm::ConstantInt::getAllOnesValue(type));
      b = b_.CreateSelect(wrong, number(type, 1), b);
    } else {
      b = b_.CreateOr(b_.CreateLShr(b, number(type, 1 + below(bits - 1))), number(type, 1));
    }
  }
  keep(b_.CreateBinOp(operation, a, b));
}

void Generator::cast() {
  Value* const from = value(random_integer());
  Type* const to = random_integer();
  keep(chance(50) ? b_.CreateSExtOrTrunc(from, to) : b_.CreateZExtOrTrunc(from, to));
}

void Generator::compare_and_select() {
  if (chance(70)) {
    Type* const type = random_integer();
    const auto predicate =
        static_cast<llvm::CmpInst::Predicate>(llvm::CmpInst::FIRST_ICMP_PREDICATE + below(10));
    keep(b_.CreateICmp(predicate, value(type), value(type)));
  } else {
    Type* const type = random_real();
    const auto predicate = static_cast<llvm::CmpInst::Predicate>(below(16));
    keep(b_.CreateFCmp(predicate, value(type), value(type)));
  }
  Type* const type = random_type();
  Value* const yes = value(type);
  keep(b_.CreateSelect(condition(), yes, value(type)));
}

void Generator::bits_intrinsic() {
  constexpr Intrinsic::ID kOne[] = {Intrinsic::ctpop, Intrinsic::bitreverse};
  constexpr Intrinsic::ID kFlag[] = {Intrinsic::ctlz, Intrinsic::cttz, Intrinsic::abs};
  constexpr Intrinsic::ID kTwo[] = {Intrinsic::umin,     Intrinsic::umax,     Intrinsic::smin,
                                    Intrinsic::smax,     Intrinsic::uadd_sat, Intrinsic::usub_sat,
                                    Intrinsic::sadd_sat, Intrinsic::ssub_sat};
  constexpr Intrinsic::ID kThree[] = {Intrinsic::fshl, Intrinsic::fshr};
  Type* const type = random_integer();
  switch (below(6)) {
    case 0: keep(b_.CreateUnaryIntrinsic(one_of(kOne), value(type))); break;
    case 1: keep(b_.CreateBinaryIntrinsic(one_of(kFlag), value(type), b_.getFalse())); break;
    case 2: {
      constexpr unsigned kSwapped[] = {16, 32, 64, 128, 48};
      keep(b_.CreateUnaryIntrinsic(Intrinsic::bswap, value(integer(one_of(kSwapped)))));
      break;
    }
    case 3: {
      Value* const a = value(type);
      Value* const b = value(type);
      keep(b_.CreateIntrinsic(type, one_of(kThree), {a, b, value(type)}));
      break;
    }
    case 4: {
      Value* const a = value(type);
      constexpr unsigned kResults[] = {8, 32, 64};
      keep(b_.CreateIntrinsic(chance(50) ? Intrinsic::scmp : Intrinsic::ucmp,
                              {integer(one_of(kResults)), type}, {a, value(type)}));
      break;
    }
    default: {
      Value* const a = value(type);
      keep(b_.CreateBinaryIntrinsic(one_of(kTwo), a, value(type)));
    }
  }
}

void Generator::overflow() {
  constexpr Intrinsic::ID kOperations[] = {Intrinsic::uadd_with_overflow, Intrinsic::usub_with_overflow,
                                           Intrinsic::umul_with_overflow, Intrinsic::sadd_with_overflow,
                                           Intrinsic::ssub_with_overflow, Intrinsic::smul_with_overflow};
  const Intrinsic::ID operation = one_of(kOperations);
  Type* type = random_integer();
  // Those would need a function that the compiler's library has not.
  if (operation == Intrinsic::smul_with_overflow && type->getIntegerBitWidth() > 64) type = i64();
  Value* const a = value(type);
  Value* const both = b_.CreateBinaryIntrinsic(operation, a, value(type));
  keep(b_.CreateExtractValue(both, 0));
  keep(b_.CreateExtractValue(both, 1));
}

void Generator::real_arithmetic() {
  constexpr Instruction::BinaryOps kOperations[] = {Instruction::FAdd, Instruction::FSub, Instruction::FMul,
                                                    Instruction::FDiv, Instruction::FRem};
  Type* const type = random_real();
  Value* const a = value(type);
  keep(proper(chance(10) ? b_.CreateFNeg(a) : b_.CreateBinOp(one_of(kOperations), a, value(type))));
}

void Generator::real_intrinsic() {
  constexpr Intrinsic::ID kOne[] = {Intrinsic::fabs, Intrinsic::floor,     Intrinsic::ceil, Intrinsic::trunc,
                                    Intrinsic::rint, Intrinsic::nearbyint, Intrinsic::sqrt, Intrinsic::round};
  Type* const type = random_real();
  Value* const a = value(type);
  switch (below(6)) {
    case 0: keep(proper(b_.CreateBinaryIntrinsic(Intrinsic::copysign, a, value(type)))); break;
    case 1: {
      Value* const b = value(type);
      keep(proper(b_.CreateIntrinsic(type, Intrinsic::fma, {a, b, value(type)})));
      break;
    }
    case 2: {
      // Of two zeros either may be the least.
      Value* const least =
          b_.CreateBinaryIntrinsic(chance(50) ? Intrinsic::minnum : Intrinsic::maxnum, a, value(type));
      keep(proper(b_.CreateFAdd(least, llvm::ConstantFP::get(type, 0.0))));
      break;
    }
    case 3: {
      keep(b_.CreateIntrinsic(Intrinsic::is_fpclass, {type}, {a, b_.getInt32(below(1024))}));
      break;
    }
    case 4: {
      if (type->isX86_FP80Ty()) return;
      Value* const power =
          b_.CreateSub(b_.CreateURem(value(b_.getInt32Ty()), b_.getInt32(9)), b_.getInt32(4));
      keep(proper(b_.CreateIntrinsic(Intrinsic::powi, {type, b_.getInt32Ty()}, {a, power})));
      break;
    }
    default: keep(proper(b_.CreateUnaryIntrinsic(one_of(kOne), a)));
  }
}

void Generator::conversion() {
  Type* const from = random_real();
  Value* const real = value(from);
  const unsigned kind = below(5);
  if (kind == 0) {
    Type* const to = random_real();
    if (to == from) return;
    const bool is_wider = to->getPrimitiveSizeInBits() > from->getPrimitiveSizeInBits();
    keep(proper(is_wider ? b_.CreateFPExt(real, to) : b_.CreateFPTrunc(real, to)));
  } else if (kind == 1) {
    Value* const whole = value(random_integer());
    keep(proper(chance(50) ? b_.CreateSIToFP(whole, from) : b_.CreateUIToFP(whole, from)));
  } else if (kind == 2) {
    constexpr unsigned kWhole[] = {8, 16, 32, 64, 13};
    if (from->isX86_FP80Ty()) return;
    keep(b_.CreateIntrinsic(chance(50) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                            {integer(one_of(kWhole)), from}, {real}));
  } else if (kind == 3) {
    if (from->isX86_FP80Ty()) return;
    keep(b_.CreateBitCast(real, integer(static_cast<unsigned>(from->getPrimitiveSizeInBits()))));
  } else {
    Type* const to = random_integer();
    const unsigned bits = to->getIntegerBitWidth();
    if (bits == 1) return;
    const bool is_signed = chance(50);
    // Within the limits, whatever is lost of them in this type.
    Value* const limit = llvm::ConstantFP::get(from, std::ldexp(1.0, static_cast<int>(bits) - 1));
    Value* const fits = is_signed ? b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(Intrinsic::fabs, real), limit)
                                  : b_.CreateAnd(b_.CreateFCmpOLT(real, limit),
                                                 b_.CreateFCmpOGE(real, llvm::ConstantFP::get(from, 0.0)));
    Value* const guarded = b_.CreateSelect(fits, real, llvm::ConstantFP::get(from, 1.75));
    keep(is_signed ? b_.CreateFPToSI(guarded, to) : b_.CreateFPToUI(guarded, to));
  }
}

void Generator::vector() {
  Type* const type = random_vector();
  auto* const shape = llvm::cast<llvm::FixedVectorType>(type);
  const unsigned count = shape->getNumElements();
  Value* const a = value(type);
  Value* const b = value(type);
  switch (below(6)) {
    case 0: keep(b_.CreateInsertElement(a, value(shape->getElementType()), below(count))); break;
    case 1: keep(b_.CreateInsertElement(a, value(shape->getElementType()), index(count))); break;
    case 2: {
      Value* const taken = b_.CreateExtractElement(a, index(count));
      keep(taken->getType()->isFloatingPointTy() ? proper(taken) : taken);
      break;
    }
    case 3: {
      std::vector<int> from;
      for (unsigned i = 0; i < count; ++i) from.push_back(static_cast<int>(below(2 * count)));
      keep(b_.CreateShuffleVector(a, b, from));
      break;
    }
    case 4: {
      if (!shape->getElementType()->isIntegerTy()) return;
      const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
      Type* const whole = integer(bits);
      if (chance(50))
        keep(b_.CreateBitCast(a, whole));
      else
        keep(b_.CreateBitCast(value(whole), type));
      break;
    }
    default: vector_arithmetic(a, b);
  }
}

void Generator::vector_arithmetic(Value* a, Value* b) {
  auto* const shape = llvm::cast<llvm::FixedVectorType>(a->getType());
  if (shape->getElementType()->isIntegerTy()) {
    constexpr Instruction::BinaryOps kOperations[] = {Instruction::Add, Instruction::Sub,  Instruction::Mul,
                                                      Instruction::And, Instruction::Or,   Instruction::Xor,
                                                      Instruction::Shl, Instruction::LShr, Instruction::AShr};
    const Instruction::BinaryOps operation = one_of(kOperations);
    if (operation >= Instruction::Shl && operation <= Instruction::AShr)
      b = b_.CreateAnd(b, llvm::ConstantInt::get(shape, shape->getScalarSizeInBits() - 1));
    keep(b_.CreateBinOp(operation, a, b));
    Value* const less = b_.CreateICmpSLT(a, b);
    keep(b_.CreateSelect(less, a, b));
    keep(b_.CreateSExt(less, shape));
  } else {
    constexpr Instruction::BinaryOps kOperations[] = {Instruction::FAdd, Instruction::FSub, Instruction::FMul,
                                                      Instruction::FDiv};
    // Its elements may be no numbers; they are replaced one by one.
    Value* const made = b_.CreateBinOp(one_of(kOperations), a, b);
    Value* whole = a;
    for (unsigned i = 0; i < shape->getNumElements(); ++i)
      whole = b_.CreateInsertElement(whole, proper(b_.CreateExtractElement(made, i)), i);
    keep(whole);
  }
}

void Generator::aggregate() {
  auto* const type = llvm::cast<llvm::StructType>(random_struct());
  Value* whole = value(type);
  for (unsigned i = 0; i < 2; ++i) {
    const unsigned part = below(type->getNumElements());
    whole = b_.CreateInsertValue(whole, value(type->getElementType(part)), part);
  }
  keep(whole);
  const unsigned part = below(type->getNumElements());
  Value* const taken = b_.CreateExtractValue(whole, part);
  if (taken->getType()->isIntegerTy() || taken->getType()->isFloatingPointTy()) keep(taken);
}

// Whole bytes anywhere in a piece of memory.
void Generator::bytes() {
  constexpr unsigned kWhole[] = {8, 16, 24, 32, 64, 128};
  Type* const type = integer(one_of(kWhole));
  Value* const piece = chance(50) ? local_ : global_;
  constexpr unsigned kIndexed[] = {8, 32, 64};
  Type* const by = integer(one_of(kIndexed));
  Value* const place = b_.CreateURem(value(by), number(by, kBytes - 16));
  Value* to = chance(50) ? b_.CreateGEP(b_.getInt8Ty(), piece, b_.CreateZExt(place, i64()))
                         : b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), kBytes), piece,
                                        {b_.getInt32(0), b_.CreateAnd(place, number(by, 31))});
  if (chance(30)) to = b_.CreateConstGEP1_64(b_.getInt8Ty(), to, below(2));
  if (chance(50)) b_.CreateAlignedStore(value(type), to, llvm::Align(1), chance(10));
  keep(b_.CreateAlignedLoad(type, to, llvm::Align(1), chance(10)));
  auto* const row = llvm::cast<llvm::ArrayType>(constants_->getValueType());
  keep(b_.CreateLoad(row->getElementType(),
                     b_.CreateGEP(row, constants_,
                                  {number(i64(), 0), index(static_cast<unsigned>(row->getNumElements()))})));
}

// A value of any type, stored and loaded as such.
void Generator::whole_in_memory() {
  Type* const type = random_type();
  llvm::IRBuilder<> front(&current_->getEntryBlock(), current_->getEntryBlock().begin());
  const unsigned count = 1 + below(3);
  Value* const place = front.CreateAlloca(type, front.getInt32(count));
  for (unsigned i = 0; i < count; ++i) b_.CreateStore(value(type), b_.CreateConstGEP1_64(type, place, i));
  keep(b_.CreateLoad(type, b_.CreateGEP(type, place, index(count))));
}

// Parts of a struct in memory.
void Generator::record() {
  auto* const type = llvm::cast<llvm::StructType>(random_struct());
  auto* const row = llvm::ArrayType::get(type, 3);
  llvm::IRBuilder<> front(&current_->getEntryBlock(), current_->getEntryBlock().begin());
  Value* const place = front.CreateAlloca(row);
  b_.CreateStore(random_constant(row), place);
  // The compiler's own choice, but for structs whose parts are not aligned.
  const llvm::MaybeAlign alignment = type->isPacked() ? llvm::MaybeAlign(1) : llvm::MaybeAlign();
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned part = below(type->getNumElements());
    Value* const to = b_.CreateGEP(row, place, {number(i64(), 0), index(3), b_.getInt32(part)});
    b_.CreateAlignedStore(value(type->getElementType(part)), to, alignment);
    Value* const from = b_.CreateGEP(row, place, {number(i64(), 0), index(3), b_.getInt32(part)});
    keep(b_.CreateAlignedLoad(type->getElementType(part), from, alignment));
  }
  if (chance(50)) keep(b_.CreateLoad(type, b_.CreateGEP(type, place, index(3))));
}

void Generator::move_bytes() {
  const auto within = [this](Value* piece) { return b_.CreateGEP(b_.getInt8Ty(), piece, index(kBytes / 2)); };
  Value* const size = chance(50) ? number(i64(), below(kBytes / 2)) : index(kBytes / 2);
  switch (below(3)) {
    case 0: b_.CreateMemSet(within(local_), value(b_.getInt8Ty()), size, llvm::MaybeAlign()); break;
    case 1:
      b_.CreateMemMove(within(local_), llvm::MaybeAlign(), within(local_), llvm::MaybeAlign(), size);
      break;
    default: b_.CreateMemCpy(within(local_), llvm::MaybeAlign(), within(global_), llvm::MaybeAlign(), size);
  }
  keep(b_.CreateAlignedLoad(i64(), within(local_), llvm::Align(1)));
}

void Generator::small_things() {
  Type* const type = random_integer();
  switch (below(4)) {
    case 0: keep(b_.CreateFreeze(value(type))); break;
    case 1: keep(b_.CreateBinaryIntrinsic(Intrinsic::expect, value(type), random_constant(type))); break;
    case 2: {
      Value* const place =
          b_.CreateConstGEP1_64(b_.getInt8Ty(), chance(50) ? local_ : global_, below(kBytes));
      keep(b_.CreateIntrinsic(Intrinsic::objectsize, {i64(), b_.getPtrTy()},
                              {place, b_.getInt1(chance(50)), b_.getTrue(), b_.getFalse()}));
      break;
    }
    default: {
      Value* const from = b_.CreatePtrToInt(b_.CreateGEP(b_.getInt8Ty(), local_, index(kBytes)), i64());
      Value* const place = b_.CreateIntToPtr(from, b_.getPtrTy());
      keep(b_.CreateLoad(b_.getInt8Ty(), place));
      keep(b_.CreateSub(from, b_.CreatePtrToInt(local_, i64())));
    }
  }
}

void Generator::call_helper() {
  if (helpers_.empty()) return;
  llvm::Function* const helper = helpers_[below(static_cast<unsigned>(helpers_.size()))];
  std::vector<Value*> arguments;
  for (Type* type : helper->getFunctionType()->params()) arguments.push_back(value(type));
  keep(b_.CreateCall(helper, arguments));
}

void Generator::call_indirectly() {
  if (table_content_.empty()) return;
  const auto count = static_cast<unsigned>(table_content_.size());
  Value* const entry = b_.CreateGEP(table_->getValueType(), table_, {number(i64(), 0), index(count)});
  Value* const callee = b_.CreateLoad(b_.getPtrTy(), entry);
  auto* const type = table_content_[0]->getFunctionType();
  Value* const a = value(i64());
  keep(b_.CreateCall(type, callee, {a, value(b_.getDoubleTy())}));
}

void Generator::call_variable() {
  std::vector<Value*> arguments = {b_.getInt32(0)};
  for (int i = 0; i < 4; ++i) {
    arguments.push_back(value(i64()));
    arguments.push_back(value(b_.getDoubleTy()));
  }
  for (int i = 0; i < 6; ++i) arguments.push_back(value(i64()));
  keep(b_.CreateCall(variable_, arguments));
}

void Generator::call_by_value() {
  llvm::IRBuilder<> front(&current_->getEntryBlock(), current_->getEntryBlock().begin());
  Value* const place = front.CreateAlloca(by_value_type_);
  b_.CreateStore(random_constant(by_value_type_), place);
  b_.CreateStore(value(i64()), b_.CreateStructGEP(by_value_type_, place, 0));
  llvm::CallInst* const call = b_.CreateCall(by_value_, {value(b_.getInt32Ty()), place});
  call->addParamAttr(1, llvm::Attribute::getWithByValType(context_, by_value_type_));
  keep(call);
  keep(b_.CreateLoad(by_value_type_, place));
}

// One value of the two sides goes on.
void Generator::branch() {
  Type* const type = random_type();
  auto* const yes = llvm::BasicBlock::Create(context_, "", current_);
  auto* const no = llvm::BasicBlock::Create(context_, "", current_);
  auto* const after = llvm::BasicBlock::Create(context_, "", current_);
  Type* const compared = random_integer();
  Value* decides = nullptr;
  if (chance(60)) {
    const auto predicate =
        static_cast<llvm::CmpInst::Predicate>(llvm::CmpInst::FIRST_ICMP_PREDICATE + below(10));
    Value* const a = value(compared);
    Value* const b = value(compared);
    decides = b_.CreateICmp(predicate, a, b);
  } else {
    decides = condition();
  }
  b_.CreateCondBr(decides, yes, no);
  const std::size_t kept = pool_.size();
  std::array<std::pair<Value*, llvm::BasicBlock*>, 2> ends;
  for (std::size_t i = 0; i < 2; ++i) {
    b_.SetInsertPoint(i == 0 ? yes : no);
    statements(1 + below(4));
    Value* const end = value(type);
    ends[i] = {end, b_.GetInsertBlock()};
    b_.CreateBr(after);
    pool_.resize(kept);
  }
  b_.SetInsertPoint(after);
  llvm::PHINode* const joined = b_.CreatePHI(type, 2);
  for (const auto& [end, block] : ends) joined->addIncoming(end, block);
  keep(joined);
}

void Generator::loop() {
  Type* const type = random_integer();
  Type* const other = random_type();
  Value* const first = value(type);
  Value* const second = value(type);
  Value* const third = value(other);
  const unsigned bound = 1 + below(6);
  Value* const times = chance(50) ? number(i64(), bound) : b_.CreateAdd(index(bound), number(i64(), 1));
  llvm::BasicBlock* const before = b_.GetInsertBlock();
  auto* const body = llvm::BasicBlock::Create(context_, "", current_);
  auto* const after = llvm::BasicBlock::Create(context_, "", current_);
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* const count = b_.CreatePHI(i64(), 2);
  llvm::PHINode* const a = b_.CreatePHI(type, 2);
  llvm::PHINode* const b = b_.CreatePHI(type, 2);
  llvm::PHINode* const c = b_.CreatePHI(other, 2);
  const std::size_t kept = pool_.size();
  pool_.insert(pool_.end(), {count, a, b, c});
  statements(1 + below(5));
  // Often the two change places.
  Value* const next_a = chance(60) ? b : value(type);
  Value* const next_b = chance(60) ? a : value(type);
  Value* const next_c = value(other);
  Value* const next = b_.CreateAdd(count, number(i64(), 1));
  llvm::BasicBlock* const end = b_.GetInsertBlock();
  Value* const is_over = b_.CreateICmpUGE(next, times);
  b_.CreateCondBr(is_over, after, body);
  const auto join = [&](llvm::PHINode* phi, Value* from_before, Value* from_end) {
    phi->addIncoming(from_before, before);
    phi->addIncoming(from_end, end);
  };
  join(count, number(i64(), 0), next);
  join(a, first, next_a);
  join(b, second, next_b);
  join(c, third, next_c);
  pool_.resize(kept);
  b_.SetInsertPoint(after);
  for (Value* one : {static_cast<Value*>(a), static_cast<Value*>(b), static_cast<Value*>(c)}) keep(one);
}

void Generator::switch_over() {
  constexpr unsigned kOver[] = {8, 13, 32, 33, 64, 65, 128};
  Type* const type = integer(one_of(kOver));
  const bool is_dense = chance(50);
  Value* const over = is_dense ? b_.CreateURem(value(type), number(type, 7)) : value(type);
  auto* const after = llvm::BasicBlock::Create(context_, "", current_);
  const std::size_t kept = pool_.size();
  llvm::BasicBlock* const from = b_.GetInsertBlock();
  auto* const otherwise = llvm::BasicBlock::Create(context_, "", current_);
  llvm::SwitchInst* const branches = b_.CreateSwitch(over, otherwise);
  std::vector<std::pair<Value*, llvm::BasicBlock*>> ends = {};
  llvm::BasicBlock* shared = nullptr;
  for (unsigned i = 0; i < 5; ++i) {
    auto* const number_of = is_dense ? number(type, i) : llvm::cast<llvm::ConstantInt>(random_constant(type));
    if (branches->findCaseValue(number_of) != branches->case_default()) continue;
    if (shared == nullptr || chance(70)) {
      shared = llvm::BasicBlock::Create(context_, "", current_);
      b_.SetInsertPoint(shared);
      statements(1 + below(2));
      Value* const end = value(i64());
      ends.emplace_back(end, b_.GetInsertBlock());
      b_.CreateBr(after);
      pool_.resize(kept);
      branches->addCase(number_of, shared);
    } else {
      // Straight to the block that joins them, by an edge of its own.
      branches->addCase(number_of, after);
      ends.emplace_back(number(i64(), 17), from);
    }
  }
  b_.SetInsertPoint(otherwise);
  ends.emplace_back(value(i64()), otherwise);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  llvm::PHINode* const joined = b_.CreatePHI(i64(), static_cast<unsigned>(ends.size()));
  for (const auto& [end, block] : ends) joined->addIncoming(end, block);
  keep(joined);
}

void Generator::statement() {
  using Statement = void (Generator::*)();
  constexpr Statement kSimple[] = {&Generator::binary,
                                   &Generator::binary,
                                   &Generator::binary,
                                   &Generator::cast,
                                   &Generator::compare_and_select,
                                   &Generator::bits_intrinsic,
                                   &Generator::bits_intrinsic,
                                   &Generator::overflow,
                                   &Generator::real_arithmetic,
                                   &Generator::real_intrinsic,
                                   &Generator::conversion,
                                   &Generator::conversion,
                                   &Generator::vector,
                                   &Generator::vector,
                                   &Generator::aggregate,
                                   &Generator::bytes,
                                   &Generator::whole_in_memory,
                                   &Generator::record,
                                   &Generator::move_bytes,
                                   &Generator::small_things,
                                   &Generator::call_helper,
                                   &Generator::call_indirectly,
                                   &Generator::call_variable,
                                   &Generator::call_by_value};
  constexpr Statement kNested[] = {&Generator::branch, &Generator::loop, &Generator::switch_over};
  constexpr unsigned kDeepest = 2;
  const bool is_helper = variable_ == nullptr;
  if (depth_ < kDeepest && chance(18)) {
    ++depth_;
    (this->*one_of(kNested))();
    --depth_;
    return;
  }
  Statement chosen = one_of(kSimple);
  const bool calls = chosen == &Generator::call_helper || chosen == &Generator::call_indirectly ||
                     chosen == &Generator::call_variable || chosen == &Generator::call_by_value;
  (this->*(calls && is_helper ? &Generator::binary : chosen))();
}

void Generator::statements(unsigned count) {
  for (unsigned i = 0; i < count; ++i) statement();
}

}  // namespace random_function
