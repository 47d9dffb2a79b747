// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/random_function.hpp"

#include <string>

#include <llvm/IR/Intrinsics.h>

#include "vm/random_generator.hpp"

namespace random_function {

namespace Intrinsic = llvm::Intrinsic;

Type* Generator::random_real() {
  Type* const reals[] = {b_.getFloatTy(), b_.getDoubleTy(), Type::getX86_FP80Ty(context_)};
  return one_of(reals);
}

Type* Generator::random_vector() {
  Type* const vectors[] = {
      llvm::FixedVectorType::get(b_.getFloatTy(), 2), llvm::FixedVectorType::get(b_.getInt32Ty(), 4),
      llvm::FixedVectorType::get(b_.getInt8Ty(), 8), llvm::FixedVectorType::get(b_.getInt64Ty(), 2),
      llvm::FixedVectorType::get(b_.getDoubleTy(), 2)};
  return one_of(vectors);
}

Type* Generator::random_struct() {
  std::vector<Type*> parts;
  for (unsigned i = 2 + below(3); i != 0; --i) {
    const unsigned kind = below(6);
    if (kind == 0)
      parts.push_back(llvm::ArrayType::get(random_integer(), 1 + below(3)));
    else if (kind == 1)
      parts.push_back(llvm::StructType::get(context_, {random_integer(), random_real()}));
    else if (kind == 2)
      parts.push_back(random_real());
    else
      parts.push_back(random_integer());
  }
  return llvm::StructType::get(context_, parts, chance(20));
}

Type* Generator::random_type() {
  const unsigned kind = below(10);
  if (kind < 5) return random_integer();
  if (kind < 7) return random_real();
  return kind < 9 ? random_vector() : random_struct();
}

llvm::Constant* Generator::random_constant(Type* type) {
  if (auto* width = llvm::dyn_cast<llvm::IntegerType>(type)) {
    const unsigned bits = width->getBitWidth();
    llvm::APInt result(bits, 0);
    switch (below(6)) {
      case 0: result = llvm::APInt(bits, below(4)); break;
      case 1: result = llvm::APInt::getAllOnes(bits); break;
      case 2: result = llvm::APInt::getSignedMinValue(bits); break;
      case 3: result = llvm::APInt::getSignedMaxValue(bits); break;
      default: {
        const std::uint64_t words[] = {random_(), random_()};
        result = llvm::APInt(128, words).trunc(bits);
      }
    }
    return llvm::ConstantInt::get(context_, result);
  }
  if (type->isFloatingPointTy()) {
    constexpr double kReals[] = {0.0,    -0.0,   1.0,     -1.5,          3.25, 1e10,
                                 -1e-10, 1e-310, 65536.5, -2147483648.0, 0.1};
    return llvm::ConstantFP::get(type, one_of(kReals));
  }
  std::vector<llvm::Constant*> parts;
  if (auto* shape = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    for (unsigned i = 0; i < shape->getNumElements(); ++i)
      parts.push_back(random_constant(shape->getElementType()));
    return llvm::ConstantVector::get(parts);
  }
  if (auto* shape = llvm::dyn_cast<llvm::ArrayType>(type)) {
    for (unsigned i = 0; i < shape->getNumElements(); ++i)
      parts.push_back(random_constant(shape->getElementType()));
    return llvm::ConstantArray::get(shape, parts);
  }
  auto* const shape = llvm::cast<llvm::StructType>(type);
  for (Type* part : shape->elements()) parts.push_back(random_constant(part));
  return llvm::ConstantStruct::get(shape, parts);
}

// A value of the type: one that is there, one made of such, or a constant.
Value* Generator::value(Type* type) {
  constexpr unsigned kTries = 12;
  if (chance(15)) return random_constant(type);
  for (unsigned i = 0; i < kTries && !pool_.empty(); ++i) {
    Value* const one = pool_[below(static_cast<unsigned>(pool_.size()))];
    if (one->getType() == type) return one;
  }
  return converted(type);
}

Value* Generator::converted(Type* type) {
  std::vector<Value*> integers;
  for (Value* one : pool_) {
    if (one->getType()->isIntegerTy()) integers.push_back(one);
  }
  if (integers.empty()) return random_constant(type);
  Value* const from = integers[below(static_cast<unsigned>(integers.size()))];
  if (type->isIntegerTy())
    return chance(50) ? b_.CreateSExtOrTrunc(from, type) : b_.CreateZExtOrTrunc(from, type);
  if (type->isFloatingPointTy())
    return proper(chance(50) ? b_.CreateSIToFP(from, type) : b_.CreateUIToFP(from, type));
  if (auto* shape = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    Value* whole = random_constant(type);
    for (unsigned i = 0; i < shape->getNumElements(); ++i) {
      if (chance(60)) whole = b_.CreateInsertElement(whole, value(shape->getElementType()), i);
    }
    return whole;
  }
  Value* whole = random_constant(type);
  auto* const shape = llvm::dyn_cast<llvm::StructType>(type);
  for (unsigned i = 0; shape != nullptr && i < shape->getNumElements(); ++i) {
    if (chance(60)) whole = b_.CreateInsertValue(whole, value(shape->getElementType(i)), i);
  }
  return whole;
}

// The value, if it is a number, and finite: what becomes of others is not the same on all processors.
Value* Generator::proper(Value* real) {
  Type* const type = real->getType();
  Value* const size = b_.CreateUnaryIntrinsic(Intrinsic::fabs, real);
  Value* const is_finite = b_.CreateFCmpOLT(size, llvm::ConstantFP::getInfinity(type));
  return b_.CreateSelect(is_finite, real, llvm::ConstantFP::get(type, 2.5));
}

// A count that is less than the number of bits.
Value* Generator::masked(Value* count) {
  const unsigned bits = count->getType()->getScalarSizeInBits();
  if (bits == 1) return llvm::Constant::getNullValue(count->getType());
  return b_.CreateURem(count, llvm::ConstantInt::get(count->getType(), bits));
}

Value* Generator::keep(Value* made) {
  digest(made);
  pool_.push_back(made);
  return made;
}

void Generator::mix(Value* word) {
  Value* const old = b_.CreateLoad(i64(), digest_);
  Value* const turned = b_.CreateOr(b_.CreateShl(old, 7), b_.CreateLShr(old, 57));
  b_.CreateStore(b_.CreateMul(b_.CreateXor(turned, word), number(i64(), 0x9e3779b97f4a7c15)), digest_);
}

void Generator::digest(Value* made) {
  Type* const type = made->getType();
  if (type->isIntegerTy()) {
    if (type->getIntegerBitWidth() > 64) mix(b_.CreateTrunc(b_.CreateLShr(made, number(type, 64)), i64()));
    mix(b_.CreateZExtOrTrunc(made, i64()));
  } else if (type->isFloatingPointTy()) {
    Value* const number_or = proper(made);
    digest(b_.CreateBitCast(number_or, integer(static_cast<unsigned>(type->getPrimitiveSizeInBits()))));
  } else if (auto* shape = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    for (unsigned i = 0; i < shape->getNumElements(); ++i) digest(b_.CreateExtractElement(made, i));
  } else if (auto* row = llvm::dyn_cast<llvm::ArrayType>(type)) {
    for (unsigned i = 0; i < row->getNumElements(); ++i) digest(b_.CreateExtractValue(made, i));
  } else {
    auto* const parts = llvm::cast<llvm::StructType>(type);
    for (unsigned i = 0; i < parts->getNumElements(); ++i) digest(b_.CreateExtractValue(made, i));
  }
}

void Generator::start(llvm::Function* function) {
  current_ = function;
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", function));
  pool_.clear();
  digest_ = b_.CreateAlloca(i64());
  b_.CreateStore(number(i64(), 1), digest_);
  local_ = b_.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), kBytes));
  b_.CreateMemSet(local_, b_.getInt8(static_cast<std::uint8_t>(below(256))), kBytes, llvm::Align(1));
  auto* const body = llvm::BasicBlock::Create(context_, "", function);
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  for (llvm::Argument& argument : function->args()) {
    if (!argument.getType()->isPointerTy()) keep(&argument);
  }
}

// A function of any types.
void Generator::make_helper() {
  std::vector<Type*> parameters;
  const bool is_for_table = helpers_.size() < 4;
  if (is_for_table) {
    parameters = {i64(), b_.getDoubleTy()};
  } else {
    for (unsigned i = 1 + below(5); i != 0; --i) parameters.push_back(random_type());
  }
  Type* const result = is_for_table ? i64() : random_type();
  auto* const helper = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                              llvm::Function::InternalLinkage,
                                              "helper" + std::to_string(helpers_.size()), module_);
  start(helper);
  statements(3 + below(4));
  Value* const last = value(result);
  b_.CreateRet(result == i64() ? b_.CreateXor(last, b_.CreateLoad(i64(), digest_)) : last);
  helpers_.push_back(helper);
  if (is_for_table) table_content_.push_back(helper);
}

// The next argument, as the processor's ABI has it: registers first, then memory.
Value* Generator::next_variable(Value* list, bool is_real) {
  Type* const word = b_.getInt32Ty();
  Value* const offset_at = b_.CreateConstGEP1_64(b_.getInt8Ty(), list, is_real ? 4 : 0);
  Value* const memory_at = b_.CreateConstGEP1_64(b_.getInt8Ty(), list, 8);
  Value* const saved = b_.CreateLoad(b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getInt8Ty(), list, 16));
  Value* const offset = b_.CreateLoad(word, offset_at);
  Value* const is_in_register = b_.CreateICmpULE(offset, b_.getInt32(is_real ? 160 : 40));
  Value* const memory = b_.CreateLoad(b_.getPtrTy(), memory_at);
  Value* const from = b_.CreateSelect(is_in_register, b_.CreateGEP(b_.getInt8Ty(), saved, offset), memory);
  b_.CreateStore(b_.CreateSelect(is_in_register, b_.CreateAdd(offset, b_.getInt32(is_real ? 16 : 8)), offset),
                 offset_at);
  b_.CreateStore(b_.CreateSelect(is_in_register, memory, b_.CreateConstGEP1_64(b_.getInt8Ty(), memory, 8)),
                 memory_at);
  return b_.CreateLoad(is_real ? b_.getDoubleTy() : i64(), from);
}

void Generator::make_variable() {
  auto* const function = llvm::Function::Create(llvm::FunctionType::get(i64(), {b_.getInt32Ty()}, true),
                                                llvm::Function::InternalLinkage, "variable", module_);
  start(function);
  Value* const list = b_.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), 24), nullptr);
  llvm::cast<llvm::AllocaInst>(list)->setAlignment(llvm::Align(16));
  b_.CreateIntrinsic(Intrinsic::vastart, {b_.getPtrTy()}, {list});
  for (int i = 0; i < 4; ++i) {
    keep(next_variable(list, false));
    keep(next_variable(list, true));
  }
  for (int i = 0; i < 6; ++i) keep(next_variable(list, false));
  b_.CreateIntrinsic(Intrinsic::vaend, {b_.getPtrTy()}, {list});
  b_.CreateRet(b_.CreateLoad(i64(), digest_));
  variable_ = function;
}

void Generator::make_by_value() {
  by_value_type_ = llvm::StructType::get(
      context_, {i64(), b_.getInt32Ty(), llvm::ArrayType::get(b_.getInt8Ty(), 5), b_.getFloatTy()});
  by_value_ = llvm::Function::Create(llvm::FunctionType::get(i64(), {b_.getInt32Ty(), b_.getPtrTy()}, false),
                                     llvm::Function::InternalLinkage, "by_value", module_);
  by_value_->addParamAttr(1, llvm::Attribute::getWithByValType(context_, by_value_type_));
  start(by_value_);
  Value* const own = by_value_->getArg(1);
  keep(b_.CreateLoad(by_value_type_, own));
  b_.CreateStore(value(i64()), b_.CreateStructGEP(by_value_type_, own, 0));
  b_.CreateStore(by_value_->getArg(0), b_.CreateStructGEP(by_value_type_, own, 1));
  keep(b_.CreateLoad(by_value_type_, own));
  b_.CreateRet(b_.CreateLoad(i64(), digest_));
}

void Generator::make_function(int at) {
  auto* const type =
      llvm::FunctionType::get(i64(), {i64(), b_.getInt32Ty(), b_.getDoubleTy(), integer(128)}, false);
  auto* const function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f" + std::to_string(at), module_);
  start(function);
  statements(8 + below(8));
  for (unsigned i = 0; i < kBytes; i += 8)
    mix(b_.CreateAlignedLoad(i64(), b_.CreateConstGEP1_64(b_.getInt8Ty(), local_, i), llvm::Align(1)));
  b_.CreateRet(b_.CreateLoad(i64(), digest_));
  made_.push_back(function);
}

void Generator::make_main(int functions) {
  auto* const main = llvm::Function::Create(llvm::FunctionType::get(b_.getInt32Ty(), false),
                                            llvm::Function::ExternalLinkage, "main", module_);
  const llvm::FunctionCallee print =
      module_.getOrInsertFunction("printf", llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy()}, true));
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", main));
  Value* const format = b_.CreateGlobalString("%d %016lx\n");
  constexpr int kCalls = 3;
  for (int i = 0; i < functions; ++i) {
    for (int call = 0; call < kCalls; ++call) {
      std::vector<Value*> arguments;
      for (Type* type : made_[static_cast<std::size_t>(i)]->getFunctionType()->params())
        arguments.push_back(random_constant(type));
      Value* const result = b_.CreateCall(made_[static_cast<std::size_t>(i)], arguments);
      b_.CreateCall(print, {format, b_.getInt32(static_cast<unsigned>(i)), result});
    }
  }
  b_.CreateRet(b_.getInt32(0));
}

void Generator::make(int functions) {
  auto* const row = llvm::ArrayType::get(b_.getInt8Ty(), kBytes);
  global_ = new llvm::GlobalVariable(module_, row, false, llvm::GlobalValue::InternalLinkage,
                                     random_constant(row), "bytes");
  auto* const numbers = llvm::ArrayType::get(integer(one_of(kWidths)), 5);
  constants_ = new llvm::GlobalVariable(module_, numbers, true, llvm::GlobalValue::InternalLinkage,
                                        random_constant(numbers), "constants");
  const int helpers = 4 + functions / 4;
  for (int i = 0; i < helpers; ++i) make_helper();
  auto* const type = llvm::ArrayType::get(b_.getPtrTy(), table_content_.size());
  const std::vector<llvm::Constant*> entries(table_content_.begin(), table_content_.end());
  table_ = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::InternalLinkage,
                                    llvm::ConstantArray::get(type, entries), "table");
  make_by_value();
  make_variable();
  for (int i = 0; i < functions; ++i) make_function(i);
  make_main(functions);
}

}  // namespace random_function

std::unique_ptr<llvm::Module> random_module(llvm::LLVMContext& context, std::uint64_t seed, int functions) {
  auto module = std::make_unique<llvm::Module>("random", context);
  module->setTargetTriple("x86_64-pc-linux-gnu");
  module->setDataLayout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128");
  random_function::Generator(context, *module, seed).make(functions);
  return module;
}
